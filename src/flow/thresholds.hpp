// Thresholds of the flow that are no roundings (see core/tolerances.hpp): how far it looks, what it takes for known, and
// how its steps are cut.
#pragma once

#include "core/tolerances.hpp"

namespace stickslip::threshold {

// Of the machine's own time scale.
inline constexpr double outlook = 1e3;     // how far a step looks ahead where nothing limits it
inline constexpr double short_time = 1e-3; // shorter than its shortest time constant

// Of the size of a state, gap or velocity as seen so far.
inline constexpr double far = 1e9;     // what drives a state: the size says nothing of its motion
inline constexpr double as_seen = 1e3; // a term of its series: beyond, rounding hides its value at the start
inline constexpr double close_to_rest = 1e-2; // a velocity: a slip may be leaving rest
inline constexpr double least_error = 1e-16;  // the error of a velocity: no digit of it

// Of the tolerance of an integrated step.
inline constexpr double integrated = 10.0;   // by which the error of its motion may exceed the estimate
inline constexpr double follows = 1e3;       // by which the dense form may miss the motion in a whole step
inline constexpr double at_corner = 1e-2;    // the part of a step beyond a corner or bend that does no harm
inline constexpr double error_target = 0.25; // of a pair of twelve stages: its errors change fast

// Of a force.
inline constexpr double unbalanced = 1e-3; // what rounding of a velocity may change of it

// Of the step.
inline constexpr double beyond_root = 1e-6; // farther than the first root of a guard, to see it pass
inline constexpr double sliver = 1e-3;      // shows a rate, and a maximum
inline constexpr double shrinks = 1e-4; // how much shorter than one that ends at an event the next may begin
inline constexpr double radians = 1.5;  // of the fastest harmonic in an integrated one
inline constexpr double series_radians = 3.0; // likewise in that of a series
inline constexpr double fast_steps = 100.0; // of the fastest rate: so many are worth a search for slow modes

// Of a guard's greatest value in a step.
inline constexpr double clear = 1e-7;    // a crossing: ten times the error of the polynomial through samples
inline constexpr double resolved = 1e-4; // what that may miss between samples

// Of the terms of a guard that a decision has left at zero, a little more than it leaves: its sign is not known.
inline constexpr double undecided = 4.0 * tolerance::rest;

} // namespace stickslip::threshold
