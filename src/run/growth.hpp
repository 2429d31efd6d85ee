// Reason of the end of a run: the state that left the range of floating point, or has grown most.
#pragma once

#include "model/system.hpp"

#include <string>

namespace stickslip {

// All values are finite, with a margin for a sum of a few terms of that size.
bool within_numbers(const Vector& x);

// Squares of such numbers, which errors and energies are made of, are not finite.
bool too_large_to_square(const Vector& x);

// For a motion that is within the range of floating point at t and not after it. `there`: the state at t; `beyond`: the
// next state; `before`: the size of each state at the start of the run.
std::string leaves_numbers(const System& sys, double t, const Vector& there, const Vector& beyond,
                           const Vector& before);

// "'slide.velocity' has grown to 1.2e+30, as in an unstable loop", if some state has grown a millionfold since
// the start of the run; else nothing.
std::string grown(const System& sys, const Vector& now, const Vector& before);

} // namespace stickslip
