// Forces that rigidity leaves open, at one instant.
#pragma once

#include "core/list.hpp"
#include "transition/instant.hpp"

namespace stickslip {

// Which of them are at their limits just after t, into the modes. `series`: of the guards of r; pace: the time in which
// coefficients count. False if no sharing holds then; `broken`: limits that contradict each other.
bool share(Instant& at, const Regime& r, const Matrix& series, double pace, List<ForceLimit>& broken);

// Where nothing has fired but guards of the sharing: the forces at their limits anew. False: the modes cannot stay, and
// jump.fired says why.
bool share_anew(Instant& at, Matrix& series, List<ForceLimit>& broken);

} // namespace stickslip
