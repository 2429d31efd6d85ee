// Logarithm and exponential of base 2 to within 1 %, for choices of step size, where more would be wasted
// time. The same bits on every machine: no library function is called.
#pragma once

#include <bit>
#include <cstdint>

namespace stickslip {

// x > 0 and normal; absolute error below 0.01.
inline double rough_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL); // in [1, 2)
  return exponent - 5.0 / 3.0 + m * (2.0 - m / 3.0);
}

// Relative error below 0.0035; x is limited to +-1000.
inline double rough_exp2(double x) {
  if (!(x > -1000.0)) return 0x1p-1000;
  if (x > 1000.0) return 0x1p1000;
  const int floor = static_cast<int>(x) - (x < 0.0 ? 1 : 0);
  const double f = x - floor; // in [0, 1]
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(floor + 1023) << 52);
  return power * (1.0 + f * (0.6565 + 0.3435 * f));
}

} // namespace stickslip
