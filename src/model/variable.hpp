// Displayed variables: one table of names for results, the real-time form and other readers of a motion.
#pragma once

#include "core/fields.hpp"
#include "core/list.hpp"

#include <string>

namespace stickslip {

// Source of a number, and the meaning of `index` there.
enum class Read {
  state,  // of x
  rate,   // of x, its derivative
  signal, // of the system's signals
  force,  // friction elements, from here on
  velocity,
  load,
  mode,
  limit,
  normal_force, // contacts
  contact_mode,
  gap,
  gap_rate,
  normal_impulse,
  spring_force, // springs
  elongation,
  elongation_rate,
  spring_mode,
  constraint_force, // constraints
  constraint_impulse,
  output, // controllers; `part` is the output's number
  saturation,
  reference,
  error,
  sum // terms of a variable without a place of its own
};
template <> struct Words<Read> {
  static constexpr const char* list[] = {"state",
                                         "rate",
                                         "signal",
                                         "force",
                                         "velocity",
                                         "load",
                                         "mode",
                                         "limit",
                                         "normal_force",
                                         "contact_mode",
                                         "gap",
                                         "gap_rate",
                                         "normal_impulse",
                                         "spring_force",
                                         "elongation",
                                         "elongation_rate",
                                         "spring_mode",
                                         "constraint_force",
                                         "constraint_impulse",
                                         "output",
                                         "saturation",
                                         "reference",
                                         "error",
                                         "sum"};
};

// Quantities of a motion along a length, an angle, or a coordinate that is neither.
struct Along {
  Quantity position, velocity, acceleration, force, impulse;
};

// One variable of all elements of a kind, with the suffix of its name; without a quantity it is dimensionless.
struct Shown {
  const char* suffix;
  Read from;
  Quantity Along::* quantity = nullptr;
  Read also = Read::sum; // to be added; sum: none
};

struct VariableTerm {
  Read from = Read::state;
  Index index = 0, part = 0;
  double factor = 1.0;
};

struct Variable {
  std::string name;
  Quantity quantity;
  Read from = Read::state;
  Index index = 0, part = 0;
  List<VariableTerm> terms; // of a sum
};

} // namespace stickslip
