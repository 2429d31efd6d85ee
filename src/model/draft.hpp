// A system during compilation: the data that the stages of compile() share.
#pragma once

#include "core/list.hpp"
#include "model/machine.hpp"
#include "model/system.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace stickslip {

// A term of an input: the output of a controller.
struct OutputOf {
  std::string controller;
  Index output = 0;
  double factor = 1.0;
};

// Resolved combination of names, or a signal: state . plant states + signals + outputs of controllers.
struct Reading {
  std::string text; // kind and the user's wording, for errors
  Vector state;     // over the plant's states; empty: none
  List<std::pair<Index, double>> signals;
  List<OutputOf> outputs;
};

struct Draft {
  Draft(const Machine& machine, bool own_signals);

  const Machine& machine;
  const bool own_signals; // every use of a signal has an entry of its own, even of the same function
  System sys;
  // Acceleration per generalised force: M^-1, or Z (Z' M Z)^-1 Z' with constraints, whose admissible motions are Z.
  Matrix inverse_mass;
  Matrix free_motions, free_inverse; // Z and (Z' M Z)^-1; empty without constraints
  // q' = unprescribed u + prescribed c' by the constraints that are no formulas; empty without these.
  Matrix unprescribed, prescribed;
  std::set<Index> own; // signals with a single use

  // Signals whose values follow the state.
  Index inertia = -1;            // power due to the change of the mass matrix
  std::map<Index, Index> drifts; // of each friction element with a row that is a function of the position

  // Inputs of compensators and controllers, in their order.
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
  Index add_own_signal(const Signal& signal = constant_signal(0.0)); // a single use, so it may be changed
  // Adds the first `count` derivatives of a signal as signals.
  void add_rates(Index signal, int count);

  // Number of entries of a direction: coordinates, or states of a plant in matrix notation.
  Index width() const;
  // The mass matrix, or the mass reduced by constraints, follows the state: then inverse_mass is that without
  // constraints, and for a mass that is a function of the position the identity matrix.
  bool moving_inertia() const;
  // Direction of a force: generalised forces per unit, or changes of the states' rates per unit.
  Vector direction(const Combination& on) const;
  // Accelerations per unit of a force along `direction`.
  Vector acceleration(const Vector& direction) const;
  // The velocity along `direction` is a sum of rates of constraints, with these factors; empty: the machine can move there.
  Vector prescribed_along(const Vector& direction) const;
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

// The stages. First the plant with its forces, then the states and signals of the elements, then, when their numbers
// are known, the matrices.
void declare_plant(Draft& draft);
void declare_constraints(Draft& draft);
void wire_plant(Draft& draft);
// For each kind that adds rows: the states and signals of one element, and, when their numbers are known, its row.
// `number`: of the element among those of its kind.
void declare(Draft& draft, const FrictionElement& element);
void declare(Draft& draft, const ContactElement& element);
void declare(Draft& draft, const ClutchElement& element);
void declare(Draft& draft, const SpringElement& element);
void wire(Draft& draft, const FrictionElement& element, Index number);
void wire(Draft& draft, const ContactElement& element, Index number);
void wire(Draft& draft, const ClutchElement& element, Index number);
void wire(Draft& draft, const SpringElement& element, Index number);
// The constraint whose force is a component of the load.
Index loading_constraint(const Draft& draft, const FrictionElement& element, const Combination& load);
// Loads of friction elements that follow other forces; after the controllers.
void wire_loads(Draft& draft);
// Last stage: the table of displayed variables, those of the machine as the user described it.
void list_variables(Draft& draft, const Machine& described);

} // namespace stickslip
