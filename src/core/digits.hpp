// A number to eight decimal digits, 27 bits: sizes and times that tolerances are made of need no more, and then do not
// carry the rounding of a root or an eigenvalue into every step.
#pragma once

#include <cmath>

namespace stickslip {

inline double few_digits(double x) {
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 27)), exponent - 27);
}

} // namespace stickslip
