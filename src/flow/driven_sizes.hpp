// Sizes of the states of a linear motion so far. States that have not moved yet take their size from their drives: too
// small a size would require steps whose powers underflow. States without a drive have the size 1, which does not
// matter.
#pragma once

#include "dynamics/state.hpp"

namespace stickslip {

class DrivenSizes {
public:
  // For x' = A x + ...; true if the sizes have changed.
  bool update(const Matrix& A, const State& state);
  const Vector& values() const { return sizes; }

private:
  Vector sizes;
  // Their source.
  const double* of = nullptr;
  double time = 0.0;
  Vector nominal;
};

} // namespace stickslip
