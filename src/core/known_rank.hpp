// Square matrices of known rank.
#pragma once

#include "core/types.hpp"

namespace stickslip::linalg {

// For a square A of known rank, by its complete orthogonal decomposition, at a tenth of the cost of its singular
// values: the pseudo-inverse, and an orthonormal basis of all x with A x = 0.
struct KnownRank {
  Matrix pseudo_inverse, null;

  KnownRank(const Matrix& A, Index rank);
};

} // namespace stickslip::linalg
