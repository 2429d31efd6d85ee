// Scheduled instants, at which steps end: breakpoints of signals, sampling instants, returns of jumps one dead time
// ago.
#pragma once

#include "flow/delays.hpp"
#include "transition/transition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

class Schedule {
public:
  Schedule(const System& of, const Transition& with_sampling, const Delays& with_returns)
      : sys(of), transition(with_sampling), delays(with_returns) {}

  // Times closer than this, relative to themselves, are one instant.
  static constexpr double one_instant = 4e-16;

  void begin() { breakpoint = -infinity; } // a run
  // The next instant after the start of the present step; infinite if there is none.
  double next(const State& state) {
    if (!(breakpoint > state.base_t)) {
      breakpoint = infinity;
      for (const Signal& s : sys.signals) breakpoint = std::min(breakpoint, next_breakpoint(s, state.base_t));
    }
    instant = transition.next_sampling_instant(state);
    const double scheduled = later_of_one(breakpoint, instant);
    return delays.any() ? later_of_one(scheduled, delays.next(state)) : scheduled;
  }
  bool breaks(double t) const { return breakpoint <= t; }
  bool samples(double t) const { return instant <= t + one_instant * std::abs(t); }

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  const System& sys;
  const Transition& transition;
  const Delays& delays;
  double breakpoint = -infinity; // the next one
  double instant = infinity;     // the next one at which a controller is sampled

  // Instants that have been reached: a step that stops there to rounding.
  static double later_of_one(double a, double b) {
    const bool together = std::isfinite(b) && std::abs(a - b) <= one_instant * std::abs(b);
    return together ? std::max(a, b) : std::min(a, b);
  }
};

} // namespace stickslip
