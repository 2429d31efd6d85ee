// A system while it is put together: what compile()'s stages share.
#pragma once

#include "core/list.hpp"
#include "model/machine.hpp"
#include "model/system.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace stickslip {

// Part of what is read: the output of a controller.
struct OutputOf {
  std::string controller;
  Index output = 0;
  double factor = 1.0;
};

// What a combination of names or a signal means here: state . plant states + signals + outputs of controllers.
struct Reading {
  std::string text; // what it is and how the user wrote it, for errors
  Vector state;     // over the plant's states; empty: none
  List<std::pair<Index, double>> signals;
  List<OutputOf> outputs;
};

struct Draft {
  Draft(const Machine& machine, bool own_signals);

  const Machine& machine;
  const bool
      own_signals; // every use of a signal has an entry of its own, even where two are the same function
  System sys;
  // What a generalised force accelerates: M^-1, or Z (Z' M Z)^-1 Z' where constraints leave the motions Z alone.
  Matrix inverse_mass;
  Matrix free_motions, free_inverse; // Z and (Z' M Z)^-1; empty without constraints
  std::set<Index> own;               // signals that are shared with nobody

  // Signals whose values follow the state.
  Index inertia = -1;            // power that a change of the mass matrix takes
  std::map<Index, Index> drifts; // of each friction element whose row is a function of the position

  // What compensators and controllers read, in their order.
  struct Compensation {
    Reading reference, measurement;
  };
  struct Control {
    List<Reading> references, measurements;
  };
  List<Compensation> compensation;
  List<Control> control;

  // Elements of one kind, in the order of adding.
  template <class E> const List<const E*>& all() const { return std::get<List<const E*>>(elements); }

  Index add_state(const std::string& name);
  Index add_signal(const Signal& signal);
  Index add_own_signal(const Signal& signal = constant_signal(0.0)); // shared with nobody: it may be changed
  // So many derivatives of a signal become signals too.
  void add_rates(Index signal, int count);

  // Number of entries of a direction: coordinates, or states of a plant in matrix notation.
  Index width() const;
  // Whether the mass that forces meet, or what constraints leave of it, follows the state: then inverse_mass is that
  // without constraints, of a mass that is a function of the position the unit matrix.
  bool moving_inertia() const;
  // Where a force enters: generalised forces per unit, or changes of the states' rates per unit.
  Vector direction(const Combination& on) const;
  // Accelerations per unit of a force along `direction`.
  Vector acceleration(const Vector& direction) const;
  // Change of x' per unit of a force along `direction`; needs the number of all states.
  Vector column(const Vector& direction) const;

  Reading read(const std::string& what, const Source& source);
  Reading read(const std::string& what, const Combination& names) const;

private:
  ElementLists elements;

  void read_coordinate(Reading& out, const std::string& name, double factor) const;
  void read_matrices(Reading& out, const MatrixPlant& plant, const std::string& name, double factor) const;
};

Form form_of(const System& sys, const Reading& reading);

// The stages. First the plant with its forces, then what the elements add to states and signals, then, when
// their numbers are known, the matrices.
void declare_plant(Draft& draft);
void declare_constraints(Draft& draft);
void wire_plant(Draft& draft);
// Of each kind that adds rows: what one element adds to states and signals, and, when their numbers are known, its row.
// `number`: of the element among those of its kind.
void declare(Draft& draft, const FrictionElement& element);
void declare(Draft& draft, const ContactElement& element);
void declare(Draft& draft, const ClutchElement& element);
void declare(Draft& draft, const SpringElement& element);
void wire(Draft& draft, const FrictionElement& element, Index number);
void wire(Draft& draft, const ContactElement& element, Index number);
void wire(Draft& draft, const ClutchElement& element, Index number);
void wire(Draft& draft, const SpringElement& element, Index number);
// Last, the table of what a run shows.
void list_variables(Draft& draft);

} // namespace stickslip
