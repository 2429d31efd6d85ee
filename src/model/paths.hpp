// Every number and signal of a machine by name, made from the tables of fields: what ensembles vary.
//   <element>.<field>                    numbers and signals: belt.normal_load, floor.restitution
//   <element>.law.<parameter>            of its law and of the options of StickSlip; where several terms of a sum
//                                        have it <element>.law.<number of the term>.<parameter>
//   <controller>.control.<parameter>     pid.control.kp, pid.control.limits.max
//   <coordinate>.force, <input>.signal   the one force that acts there alone
//   <coordinate>.mass, mass[a,b]         entries of matrices, and so on for damping, stiffness, A, B, C, D
#pragma once

#include "core/list.hpp"
#include "core/quantity.hpp"
#include "model/machine.hpp"

#include <string>

namespace stickslip {

struct Path {
  std::string name;
  double* number = nullptr;
  double* mirror =
      nullptr; // what is the same number: an entry by symmetry, the other of two levels given as one
  Signal* signal = nullptr;
  Quantity quantity;
  Law* law = nullptr; // that holds the number
};

// Pointers into `machine`, valid as long as nothing is added to it.
List<Path> paths(Machine& machine);

// The machine in which numbers that are varied by name follow no others (give_own_numbers in friction/law.hpp).
Machine with_own_numbers(Machine machine, const List<std::string>& varied);

} // namespace stickslip
