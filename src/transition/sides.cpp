#include "transition/sides.hpp"

#include "core/switches.hpp"
#include "core/tolerances.hpp"

#include <cmath>

namespace stickslip {

void find_sides(Instant& at, const ActiveSet& active) {
  const Index n = at.sys.friction.size();
  // The forces below require a side, and none of these laws has side 0.
  for (Index i = 0; i < n; ++i)
    if (!at.set_valued(i) && at.mode(i).sticks()) at.mode(i).mode = slip(at.v(i) < 0.0 ? -1 : 1);
  for (Index i = 0; i < n; ++i) {
    if (!has_sides(at, i)) continue;
    FrictionMode& now = at.mode(i);
    if (!active.touches(at.sys, at.state->modes, i)) {
      now.mode = Mode::open;
      continue;
    }
    const double speed = at.v(i);
    const Mode was = now.mode;
    if (std::abs(speed) > tolerance::rounding * at.v_size(i)) {
      now.mode = slip(speed > 0.0 ? 1 : -1);
    } else if (at.starting || !now.slips()) {
      now.mode = Mode::slip_forward;
      free_acceleration(at, active);
      const double a = relative_acceleration(at.sys.friction[i], at.xdot, at.signals);
      if (a != 0.0) now.mode = slip(a > 0.0 ? 1 : -1);
    }
    if (now.mode != was) at.set_mode(i, now.mode);
  }
}

void turn_sides(Instant& at) {
  if (!STICKSLIP_RULE("turn_sides")) return;
  bool evaluated = false;
  for (Index i = 0; i < at.sys.friction.size() && !at.starting; ++i) {
    const FrictionMode& now = at.mode(i);
    if (!has_sides(at, i) || !now.slips() || !at.was(i).slips()) continue;
    if (std::abs(at.v(i)) > tolerance::rounding * at.v_size(i)) continue;
    if (!evaluated) at.evaluate(at.regime(at.state->modes));
    evaluated = true;
    const Friction& p = at.sys.friction[i];
    const double a = relative_acceleration(p, at.xdot, at.signals);
    const bool rests_on = std::abs(a) <= tolerance::rounding * p.velocity.x.cwiseAbs().dot(at.terms);
    const int side = rests_on ? at.was(i).direction() : a > 0.0 ? 1 : -1;
    if (side != now.direction()) at.set_mode(i, slip(side));
  }
}

} // namespace stickslip
