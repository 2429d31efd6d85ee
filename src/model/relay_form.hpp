// How a relay is compiled: a compensator whose law jumps and sticks. Its velocity is the form that it holds on the
// threshold; or `way` is that form, and the element rests there as on the seat of a detent; or, with `crests` (the form
// minus either threshold), it only switches.
#pragma once

#include "model/system.hpp"

namespace stickslip {

inline bool is_relay(const Friction& p) {
  return p.compensator && p.traits.sticks;
}
// The form that a jump of its signals carries across zero: of friction the velocity, of a relay the distance from its
// threshold.
inline const Form& followed_form(const Friction& p) {
  return is_relay(p) && p.way.x.size() > 0 ? p.way : p.velocity;
}
inline bool only_switches(const Friction& p) {
  return is_relay(p) && !p.crests.empty();
}

} // namespace stickslip
