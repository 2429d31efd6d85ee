#include "dynamics/moving_mass.hpp"

#include "core/tolerances.hpp"

#include <cmath>
#include <limits>

namespace stickslip {

void MovingMass::factorise() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Index n = M.rows();
  skew_row = skew_column = -1;
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i)
      if (std::abs(M(i, j) - M(j, i)) > tolerance::matrix_zero * std::sqrt(std::abs(M(i, i) * M(j, j))))
        skew_row = j, skew_column = i;
  if (skew_row >= 0) {
    factor.setConstant(nan);
    return;
  }
  for (Index j = 0; j < n; ++j) {
    double sum = M(j, j);
    for (Index k = 0; k < j; ++k) sum -= factor(j, k) * factor(j, k);
    factor(j, j) = sum > 0.0 ? std::sqrt(sum) : nan;
    for (Index i = j + 1; i < n; ++i) {
      double rest = M(i, j);
      for (Index k = 0; k < j; ++k) rest -= factor(i, k) * factor(j, k);
      factor(i, j) = rest / factor(j, j);
    }
  }
}

void MovingMass::solve(double* force) const {
  const Index n = M.rows();
  for (Index i = 0; i < n; ++i) {
    double sum = force[i];
    for (Index k = 0; k < i; ++k) sum -= factor(i, k) * force[k];
    force[i] = sum / factor(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    double sum = force[i];
    for (Index k = i + 1; k < n; ++k) sum -= factor(k, i) * force[k];
    force[i] = sum / factor(i, i);
  }
}

void MovingMass::invert(Matrix& inverse) const {
  inverse.setIdentity();
  for (Index c = 0; c < M.rows(); ++c) solve(inverse.col(c).data());
}

} // namespace stickslip
