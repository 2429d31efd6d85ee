// What counts as equal, at rest or zero, by name. All but the last digits of time derive from one scale: what a sum
// of terms is known to, relative to the sizes of these terms.
#pragma once

#include <limits>

namespace stickslip::tolerance {

inline constexpr double rounding = 1e-13; // some 500 units in the last place: the terms have sums behind them

inline constexpr double least_size =
    10.0 * rounding;                              // share of the largest state below which sizes mean nothing
inline constexpr double rest = 100.0 * rounding;  // what solved constraints and located events leave of zero
inline constexpr double rank = 1e3 * rounding;    // singular values, relative to the largest, that count
inline constexpr double entry = 1e4 * rounding;   // entries of solved directions, likewise
inline constexpr double located = 1e5 * rounding; // how well an interpolant places an event, in its length

// How well an instant is known, relative to itself.
inline constexpr double last_digits = 4.0 * std::numeric_limits<double>::epsilon();

} // namespace stickslip::tolerance
