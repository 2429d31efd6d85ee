// Friction loaded by the magnitude of two constraint forces, as of a plain bearing whose load turns. The reactions are
// affine in the loads N of sliding friction, R_i = R_i0 + sum_k R_ik N_k, so that N_i = |R_i| is a small problem of its
// own: for one bearing a quadratic equation, (1 - |R_1|^2) N^2 - 2 R_0 . R_1 N - |R_0|^2 = 0.
#pragma once

#include "core/types.hpp"

namespace stickslip {

// N from R: rows of two components each, columns R_0, R_1, ... Unique if the spectral radius of |R_ik| is below one, as
// N -> |R| is a contraction then; NaN else.
Vector magnitudes(const Matrix& R);

} // namespace stickslip
