#include "transition/motion_after.hpp"

#include "transition/motion_series.hpp"

namespace stickslip {

MotionAfter::MotionAfter(const System& system, RegimeCache& c, Scratch& shared, const State& st)
    : sys(system), cache(c), scratch(shared), state(st) {}

void MotionAfter::expand(bool decided) {
  if (signals.size() == 0)
    expand_signals(sys, state.base_t, signals);
  else if (decided == !undecided && modes == state.modes && x == state.base_x)
    return;
  modes = state.modes, x = state.base_x, undecided = !decided;
  if (decided) return expand_motion(sys, cache.get(sys, modes), state.base_t, x, signals, scratch, states);
  const LinearPart& part = cache.linear(sys, modes);
  expand_affine(part.A, part.S, x, signals, states);
}

} // namespace stickslip
