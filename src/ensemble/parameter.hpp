// A number in the description of a machine, by name: what an ensemble varies.
#pragma once

#include "model/system.hpp"

#include <string>

namespace stickslip {

// Names:
//   <state>                                   its initial value
//   <element>.surface_velocity, .normal_load  a constant signal; with _scale behind it: a factor on any signal
//   <coordinate>.force, .force_scale          the same of the force applied to one coordinate
//   <element>.<parameter of its law>          static, kinetic, stribeck_velocity, viscous, ...; where several
//                                             terms have it <element>.<number of the term>.<parameter>
//   <element>.memory, .dwell, .travel, .surface_damping, .load_factor   of the automaton
//   <contact>.gap, .gap_scale, .restitution
//   mass[a], mass[a,b] and so on for damping and stiffness: one entry, and its mirror image
struct Parameter {
  enum class Kind {
    initial,
    surface,
    load,
    force,
    gap,
    law,
    automaton,
    restitution,
    mass,
    damping,
    stiffness
  };
  std::string name;
  Kind kind = Kind::initial;
  std::size_t element = 0; // state, place, contact or force; row of a matrix
  std::size_t part = 0;    // term of a law; option of the automaton; column of a matrix
  std::string key;         // parameter of the term
  bool scale = false;      // multiplies a signal
  bool contact = false;    // element is a contact
  // Where nothing but a constant signal changes: its number in the system. All that was derived stays as it
  // is.
  Index signal = -1;
};

// Throws UnknownName or InvalidArgument. `sys` is compiled with signals of its own for every use.
Parameter find_parameter(const Machine& machine, const System& sys, const std::string& name);

// Sets it in the description; `base` is the description before. Initial values are not in it.
void apply(const Parameter& parameter, double value, const Machine& base, Machine& machine);

} // namespace stickslip
