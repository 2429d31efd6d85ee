// Friction without a normal load, as of an open clutch: while its load, a signal of time, is zero it neither stops a
// body nor holds it at rest. The remaining forces of its law do not follow the load and have no jump at v = 0.
#pragma once

#include "dynamics/modes.hpp"
#include "model/smooth.hpp"
#include "model/system.hpp"
#include "signal/idle.hpp"

#include <algorithm>

namespace stickslip {

inline bool can_be_free(const System& sys, const Friction& p) {
  if (!p.traits.sticks || p.contact >= 0 || p.of_compliance || p.load_contact >= 0 || !p.load_parts.empty())
    return false;
  const auto is_load = [&](const Smooth::Value& v) { return v.signal == p.load; };
  const auto is_reaction = [&](const Smooth::Reaction& one) { return &sys.friction[one.friction] == &p; };
  return !sys.smooth || (std::ranges::none_of(sys.smooth->values, is_load) &&
                         std::ranges::none_of(sys.smooth->reactions, is_reaction));
}

inline bool has_no_load(const System& sys, const Friction& p, double t) {
  return can_be_free(sys, p) && idle(sys.signals[p.load], t);
}

// A lagged force continues for a while after its load, in sliding or sticking.
inline bool lag_acts(const Friction& p, const FrictionMode& now, const double* x) {
  return p.lagged >= 0 && x[p.lagged] != 0.0 && !now.free && (now.slips() || side_above(now.hold) != 0);
}

} // namespace stickslip
