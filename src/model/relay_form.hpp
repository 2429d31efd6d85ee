// How a relay is compiled: a compensator whose law jumps and sticks. Its velocity is the form that it holds on the
// threshold; or `way` is that form, and the element rests there as on the seat of a detent; or, with `crests` (the form
// minus either threshold), it only switches.
#pragma once

#include "model/system.hpp"

namespace stickslip {

inline bool is_relay(const Friction& p) {
  return p.compensator && p.traits.sticks;
}
inline bool only_switches(const Friction& p) {
  return is_relay(p) && !p.crests.empty();
}

} // namespace stickslip
