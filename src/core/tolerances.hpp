// Named thresholds for equality, rest and zero. All derive from two scales: the unit roundoff of a double, and the
// rounding error of a sum, relative to the sizes of its terms.
#pragma once

#include <limits>

namespace stickslip::tolerance {

// Single operations.
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double last_digits = 4.0 * epsilon;    // how well an instant is known, relative to itself
inline constexpr double polynomial = 8.0 * epsilon;     // a value by Horner's rule, relative to its terms
inline constexpr double output = 16.0 * epsilon;        // an output of a controller, relative to its terms
inline constexpr double constrained = 1024.0 * epsilon; // accelerations from badly conditioned constraints

// Sums of terms.
inline constexpr double rounding = 1e-13; // some 500 units in the last place: the terms have sums behind them
inline constexpr double few_terms = 0.1 * rounding; // sums of a few given numbers
inline constexpr double per_term =
    0.04 * rounding;                            // for each row of a problem, some 20 units in the last place
inline constexpr double sign = 10.0 * rounding; // sums of products whose sign is in question
inline constexpr double symmetry =
    10.0 * rounding; // given numbers that should be equal, such as M and its transpose
inline constexpr double least_size =
    10.0 * rounding;                             // share of the largest state below which sizes mean nothing
inline constexpr double rest = 100.0 * rounding; // residuals of solved constraints and located events
inline constexpr double cancelled =
    1e-3; // share of the other terms below which a sum of `rest` of them is taken for rounding
inline constexpr double rank = 1e3 * rounding;       // singular values, relative to the largest, that count
inline constexpr double entry = 1e4 * rounding;      // entries of solved directions, likewise
inline constexpr double event_zero = 1e4 * rounding; // residual of a guard at its located event
inline constexpr double same = 1e4 * rounding;       // answers by two ways that are one
inline constexpr double jump = 1e4 * rounding;    // of a signal or a state: smaller ones come from rounding
inline constexpr double typed = 1e4 * rounding;   // numbers that were given in ten digits, such as thirds
inline constexpr double instant = 1e4 * rounding; // share of a fixed step: instants closer than this are one
inline constexpr double far = 1e7 * rounding;     // of a guard's terms: more than any tolerance of events
inline constexpr double located = 1e5 * rounding; // how well an interpolant places an event, in its length

// Sizes of states and of time are kept below this, so that their products with tolerances stay numbers.
inline constexpr double largest_size = 1e300;
// States and parts of a motion are kept below this: a sum of a few of them is a number.
inline constexpr double largest_state = 1e305;

// Velocities at which every curve is at its limits for v -> 0 and v -> infinity, and whose squares' roots are finite.
inline constexpr double creep_velocity = 1e-150, fast_velocity = 1e150;

} // namespace stickslip::tolerance
