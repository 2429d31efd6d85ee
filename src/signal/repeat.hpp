// Signals that come again after a period, put together.
#pragma once

#include "signal/signal.hpp"

namespace stickslip {

struct Repetition {
  double from = 0.0, period = 0.0;
};
// Start and common period of two signals, at least one of which is periodic.
Repetition repetition(const Signal& a, const Signal& b);

// Extends combine(a, b) from signals that do not repeat to those that do.
template <class F> Signal repeated(const Signal& a, const Signal& b, F&& combine) {
  if (a.repeats == 0 && b.repeats == 0) return combine(a, b);
  const auto [from, period] = repetition(a, b);
  const Signal x = unrolled(a, from + period), y = unrolled(b, from + period);
  return repeating(combine(x, y), from, period);
}

} // namespace stickslip
