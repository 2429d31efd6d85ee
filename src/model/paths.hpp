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
  double* mirror = nullptr; // the entry that is the same by symmetry
  Signal* signal = nullptr;
  Quantity quantity;
};

// Pointers into `machine`, valid as long as nothing is added to it.
List<Path> paths(Machine& machine);

} // namespace stickslip
