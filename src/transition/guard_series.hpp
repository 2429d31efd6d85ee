// Values and derivatives of the guards of a regime just after an instant.
#pragma once

#include "transition/instant.hpp"

namespace stickslip {

// series(k, j): j-th Taylor coefficient of guard k in the motion of this regime. Leaves x' in at.xdot and the forces in
// at.w.force; of an affine regime signals have been expanded before.
void guard_series(Instant& at, const Regime& r, Matrix& series);

} // namespace stickslip
