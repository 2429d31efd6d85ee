// Mass matrix that depends on positions, at one instant: its Cholesky factor, without allocation.
#pragma once

#include "core/types.hpp"

#include <utility>

namespace stickslip {

class MovingMass {
public:
  explicit MovingMass(Index n) : M(Matrix::Zero(n, n)), factor(Matrix::Zero(n, n)) {}

  Matrix M; // factorise() after a change
  void factorise();
  void solve(double* force) const; // M a = f, in place; NaN where M is not symmetric and positive definite
  void invert(Matrix& inverse) const;
  bool positive_definite() const { return factor.diagonal().allFinite(); }
  // Row and column of an entry that is not its mirror image; -1: none.
  std::pair<Index, Index> skew() const { return {skew_row, skew_column}; }

private:
  Matrix factor; // M = L L'
  Index skew_row = -1, skew_column = -1;
};

} // namespace stickslip
