// Sizes of the states of a linear motion. A state that has been seen to move has the size seen; one that has not moved
// yet takes its size from the states that drive it: one far too small would call for steps whose powers underflow. What
// nothing drives either has the size 1, which says nothing.
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
  // What they were made from.
  const double* of = nullptr;
  double time = 0.0;
  Vector nominal;
};

} // namespace stickslip
