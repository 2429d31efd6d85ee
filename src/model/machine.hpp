// The description of a machine: a linear mechanical plant, signals that drive it and the elements in which it
// sticks, slips, separates and strikes. A plain value; every complaint about it ends in compile().
#pragma once

#include "core/types.hpp"
#include "friction/automaton.hpp"
#include "friction/law.hpp"
#include "model/loop.hpp"
#include "signal/signal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stickslip {

// M q'' + D q' + K q = sum of forces - sum of w_i F_i
struct Plant {
  Matrix mass, damping, stiffness;
  std::vector<std::string> names; // one per coordinate

  bool operator==(const Plant& o) const;
};

// x' = A x + B u + A_NL F instead: a plant in matrix notation. Directions of forces and controllers are then
// changes of x' per unit, and friction gives its row of the velocity and its column of A_NL.
struct MatrixPlant {
  Matrix A;
  std::vector<std::string> states;

  bool operator==(const MatrixPlant& o) const;
};

struct AppliedForce {
  Vector direction; // generalised force per unit of the signal
  Signal signal;

  bool operator==(const AppliedForce& o) const;
};

struct FrictionPlace {
  std::string name;
  Vector
      direction; // w: relative velocity is w' q' - surface_velocity; matrix notation: its row over the states
  Law law;
  Automaton automaton;
  Signal normal_load;
  Signal surface_velocity;
  Vector load_position; // linear form of the load force F_l over positions (empty: none)
  Vector load_velocity;
  Signal load_signal;
  Vector column;              // matrix notation: change of x' per unit of F; else empty
  std::string load_contact{}; // name of the contact whose normal force is F_l instead; empty: none

  bool operator==(const FrictionPlace& o) const;
};

enum class ImpactRule : std::int8_t { poisson, newton };

// A rigid unilateral contact: gap = normal' q + gap(t) >= 0, with friction along `tangent`.
struct ContactPlace {
  std::string name;
  Vector normal;  // w_N
  Vector tangent; // w_T; empty: without friction
  Law friction;   // per unit normal force
  Automaton automaton;
  Signal gap;
  Signal surface_velocity;
  double restitution = 0.0;
  ImpactRule impact = ImpactRule::poisson;

  bool operator==(const ContactPlace& o) const;
};

// A model of friction whose force is added to what drives the machine, so that it cancels the friction there.
// Feedforward: the law at the velocity of the reference. Observer (Canudas de Wit et al. 1995, section V):
// the law's bristle follows the measured velocity, z' = v - sigma_0 |v| / g(v) z - gain (x - x_d).
struct CompensatorPlace {
  std::string name;
  Law law;
  Signal normal_load;
  bool observer = false;
  double gain = 0.0;             // of the observer, 1/s
  Source reference, measurement; // positions; an observer without gain needs no reference
  Vector direction;

  bool operator==(const CompensatorPlace& o) const;
};

struct Machine {
  Plant plant;
  std::optional<MatrixPlant> matrices; // instead of `plant`
  std::vector<AppliedForce> forces;
  std::vector<FrictionPlace> friction;
  std::vector<ContactPlace> contacts;
  std::vector<ControllerPlace> controllers;
  std::vector<CompensatorPlace> compensators;

  bool operator==(const Machine& o) const = default;
};

} // namespace stickslip
