// Statically indeterminate forces at one instant.
#pragma once

#include "core/list.hpp"
#include "transition/instant.hpp"

namespace stickslip {

// Enters into the modes which shared forces are at their limits just after t. `series`: of the guards of r; pace: time
// unit of the coefficients. False if no sharing satisfies the limits; `broken`: limits that contradict each other.
bool share(Instant& at, const Regime& r, const Matrix& series, double pace, List<ForceLimit>& broken);

// If only guards of the sharing have fired: chooses the limited forces anew. False: the modes cannot stay, and
// jump.fired gives the cause.
bool share_anew(Instant& at, Matrix& series, List<ForceLimit>& broken);

} // namespace stickslip
