// The least value of a signal, for those that must not become negative.
#pragma once

#include "signal/signal.hpp"

namespace stickslip {

struct Least {
  double value = 0.0, t = 0.0;
  double size = 0.0; // of the terms that add up to it, for what rounding can do
};

// Over [t0, t1]. Where harmonics are added to something else it looks at pieces of a radian; beyond a million
// of these it says what it has seen.
Least least(const Signal& s, double t0, double t1);

} // namespace stickslip
