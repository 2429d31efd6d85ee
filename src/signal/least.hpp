// The least value of a signal, to check signals that must not be negative.
#pragma once

#include "signal/signal.hpp"

namespace stickslip {

struct Least {
  double value = 0.0, t = 0.0;
  double size = 0.0; // of the terms of its sum, to bound the rounding error
};

// Over [t0, t1]. Sums of harmonics and polynomials are searched in pieces of a radian; after a million of them it
// returns the least value found.
Least least(const Signal& s, double t0, double t1);

} // namespace stickslip
