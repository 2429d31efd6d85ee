#include "transition/mode_changes.hpp"

#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "friction/law.hpp"
#include "model/relay_form.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

void enter(FrictionMode& now, const Friction& p, Mode mode, double* x) noexcept {
  now.enter(mode);
  if (p.states >= 0 && now.slips()) on_turn(p.law, now.direction(), x + p.states);
}

bool has_jumped(const State& state, const Vector& before) noexcept {
  for (Index i = 0; i < before.size(); ++i)
    if (std::abs(state.base_x(i) - before(i)) >
        tolerance::same * std::max(state.nominal(i), std::abs(before(i))))
      return true;
  return false;
}

namespace {

// Passes a corner of the load table. In a periodic table the last corner is the first one of the next period.
void pass_corner(FrictionMode& now, const Friction& p, int direction, double* x) noexcept {
  const Index corners = p.load_corners.size();
  Index stretch = now.load_stretch + direction;
  if (p.load_shift >= 0 && (stretch == 0 || stretch == corners)) {
    stretch = direction > 0 ? 1 : corners - 1;
    x[p.load_shift] = p.load_period * (std::round(x[p.load_shift] / p.load_period) + direction);
  }
  now.load_stretch = static_cast<std::int16_t>(stretch);
}

// Half way to the next seat of a detent: from here on that seat is the nearest one, for the spring as well. A relay
// switches.
void pass_crest(const System& sys, Modes& modes, Index i, double* x) noexcept {
  const Friction& p = sys.friction[i];
  FrictionMode& now = modes.friction[i];
  const int side = now.direction();
  if (is_relay(p)) return enter(now, p, slip(-side), x);
  x[p.seat] = p.pitch * (std::round(x[p.seat] / p.pitch) + side);
  const Index flank = std::ranges::find(sys.springs, p.name, &Spring::name)->flanks;
  modes.flank[flank].stretch = side > 0 ? 0 : sys.flanks[flank].line.corners.size();
  enter(now, p, slip(-side), x);
}

} // namespace

// All elements of a bristle law stick again when its velocity changes sign.
void switch_flow(const System& sys, Modes& modes, const Guard& g, double* x) noexcept {
  if (g.friction < 0) return;
  FrictionMode& now = modes.friction[g.friction];
  const Friction& p = sys.friction[g.friction];
  switch (g.kind) {
  case GuardKind::velocity_reversal:
    return enter(now, p, slip(-now.direction()), x);
  case GuardKind::passes_crest:
    return pass_crest(sys, modes, g.friction, x);
  case GuardKind::branch:
    now.branch = on_switch(p.law, g.bit, now.direction(), now.branch, x + p.states);
    return;
  case GuardKind::load_corner:
    return pass_corner(now, p, g.direction, x);
  case GuardKind::limit_again:
    now.hold = Hold::by_limit;
    return;
  default:
    return;
  }
}

} // namespace stickslip
