// Values and derivatives of the guards of a regime just after an instant.
#pragma once

#include "transition/instant.hpp"

namespace stickslip {

// series(k, j): j-th Taylor coefficient of guard k in the motion of this regime. Leaves x' in at.xdot and the forces in
// at.w.force; for an affine regime signals must have been expanded.
void guard_series(Instant& at, const Regime& r, Matrix& series);

} // namespace stickslip
