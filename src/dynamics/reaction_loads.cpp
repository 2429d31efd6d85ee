#include "dynamics/reaction_loads.hpp"

#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <limits>

namespace stickslip {

namespace {

// (1 - B)^-1 has no negative entries if and only if the spectral radius of B >= 0 is below one (M-matrices: Berman,
// Plemmons, Nonnegative Matrices in the Mathematical Sciences, theorem 6.2.3).
bool contracts(const Matrix& R) {
  const Index n = R.cols() - 1;
  Matrix rest = Matrix::Identity(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < n; ++k) rest(i, k) -= R.block(2 * i, k + 1, 2, 1).norm();
  if (!rest.allFinite()) return false;
  const Matrix inverse = linalg::inverse(rest);
  return inverse.allFinite() && (inverse.array() >= 0.0).all();
}

} // namespace

Vector magnitudes(const Matrix& R) {
  constexpr int most_rounds = 50;
  const Index n = R.cols() - 1;
  Vector N = Vector::Zero(n);
  if (!contracts(R)) return Vector::Constant(n, std::numeric_limits<double>::quiet_NaN());
  for (int round = 0; round < most_rounds; ++round) { // Newton's method
    Matrix slopes = Matrix::Identity(n, n);
    Vector off = N;
    for (Index i = 0; i < n; ++i) {
      const Vector r = R.block(2 * i, 0, 2, 1) + R.block(2 * i, 1, 2, n) * N;
      const double size = r.norm();
      off(i) -= size;
      if (size > 0.0) slopes.row(i) -= (r / size).transpose() * R.block(2 * i, 1, 2, n);
    }
    const Vector step = linalg::solve(slopes, off);
    N = (N - step).cwiseMax(0.0);
    if (step.cwiseAbs().maxCoeff() <= tolerance::epsilon * N.maxCoeff()) break;
  }
  return N;
}

} // namespace stickslip
