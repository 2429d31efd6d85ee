// Map of one fixed step of x' = A x + S s, with signals that change linearly from s0 to s0 + d within it,
//   x(h) = F x + G0 s0 + G1 d,
// from the exponential of the extended matrix.
#pragma once

#include "core/types.hpp"

namespace stickslip {

struct HeldMap {
  Matrix F, G0, G1;
};
HeldMap held_map(const Matrix& A, const Matrix& S, double h);

} // namespace stickslip
