// All thresholds that decide something in the engine: what counts as equal, as zero or as known, and how a step of the
// flow is cut. Limits of counts, parameters of numerical methods and thresholds of a single file stand where they are
// used.
#pragma once

#include <limits>

namespace stickslip::tolerance {

// Rounding errors, relative to the sum of the magnitudes of the terms that are added.
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();
inline constexpr double last_digits = 4.0 * epsilon;    // of a time: how well an instant is known
inline constexpr double polynomial = 8.0 * epsilon;     // of a value by Horner's rule
inline constexpr double constrained = 1024.0 * epsilon; // of accelerations from badly conditioned constraints
inline constexpr double per_term = 4e-15;  // of each row of a problem: some 20 units in the last place
inline constexpr double few_terms = 1e-14; // of a sum of a few given numbers
inline constexpr double rounding =
    1e-13; // of a sum whose terms are sums themselves: 500 units in the last place
inline constexpr double product = 1e-12;  // of sums of products, and of the symmetry of given matrices
inline constexpr double residual = 1e-11; // of solved constraints and of velocities at rest
inline constexpr double cancelled =
    1e-3; // share of other terms below which a sum is known to `residual` only

// Results of longer computations, relative to their size.
inline constexpr double rank = 1e-10; // singular values, relative to the largest, that count
inline constexpr double matrix_zero =
    1e-9; // entries of solved directions; numbers that were given in ten digits
inline constexpr double event_zero = 1e-9; // the value of a guard at its located event
inline constexpr double same = 1e-9; // answers by two ways, and values before and after a jump, that are one
inline constexpr double located = 1e-8; // places of events from an interpolant: ten times `event_zero`
inline constexpr double negligible =
    1e-6; // far above every error, and changes no result by more than its thousandth

// The flow, relative to the shortest time constant of the machine.
inline constexpr double outlook = 1e3;     // how far a step looks ahead where nothing limits it
inline constexpr double short_time = 1e-3; // a time in which a force changes little
inline constexpr double parabola = 1e-4;   // a time in which a force is a parabola

// Relative to the size of a state, gap or velocity as seen so far.
inline constexpr double unrelated = 1e9; // of what drives a state: the size says nothing of its motion
inline constexpr double as_seen =
    1e3; // of a term of its series: beyond, rounding hides its value at the start
inline constexpr double close_to_rest = 1e-2; // of a velocity: a slip may be leaving rest

// Relative to the tolerance of an integrated step.
inline constexpr double integrated = 10.0; // by which the error of its motion may exceed the estimate
inline constexpr double follows = 1e3;     // by which the dense form may miss the motion in a whole step
inline constexpr double at_corner = 1e-2;  // the part of a step beyond a corner or bend that does no harm

// Relative to the length of a step.
inline constexpr double sliver = 1e-3;  // long enough to show a rate and a maximum
inline constexpr double shrinks = 1e-4; // how much shorter than one that ends at an event the next may begin

// Relative to the greatest value of a guard in a step.
inline constexpr double clear = 1e-7; // of a crossing: ten times the error of the polynomial through samples
inline constexpr double resolved = 1e-4; // of a value that the polynomial may miss between samples

// Ranges of numbers, so that sums and products of a few remain finite.
inline constexpr double largest_size = 1e300;  // of sizes of states and times
inline constexpr double largest_state = 1e305; // of states and parts of a motion
// Velocities at which every curve is at its limits for v -> 0 and v -> infinity.
inline constexpr double creep_velocity = 1e-150, fast_velocity = 1e150;

} // namespace stickslip::tolerance
