// Every number and signal of a machine by name, from the tables of fields: the parameters of ensembles.
//   <element>.<field>                    numbers and signals: belt.normal_load, floor.restitution
//   <element>.law.<parameter>            of its law and of the options of StickSlip; where several terms of a sum
//                                        have it <element>.law.<number of the term>.<parameter>
//   <controller>.control.<parameter>     pid.control.kp, pid.control.limits.max
//   <coordinate>.force, <input>.signal   the force, if it is the only one there
//   <coordinate>.mass, mass[a,b]         entries of matrices, and so on for damping, stiffness, A, B, C, D
//   <parameter>                          named numbers of formulas
#pragma once

#include "core/list.hpp"
#include "core/quantity.hpp"
#include "model/machine.hpp"

#include <string>

namespace stickslip {

struct Path {
  std::string name;
  double* number = nullptr;
  // The same parameter elsewhere: an entry by symmetry, the other of two levels given as one number, a parameter in other
  // formulas.
  List<double*> mirrors;
  Signal* signal = nullptr;
  Quantity quantity;
  Law* law = nullptr; // law that contains the number
};

// Pointers into `machine`, valid until an element is added.
List<Path> paths(Machine& machine);

// Throws if a parameter of formulas has two values, or the name of a coordinate or an element.
void check_parameters(const Machine& machine);

// A copy of the machine in which no number depends on the numbers to be varied (give_own_numbers in friction/law.hpp).
Machine with_own_numbers(Machine machine, const List<std::string>& varied);

} // namespace stickslip
