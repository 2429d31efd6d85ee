#include "core/linalg.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace stickslip::linalg {

Vector symmetric_eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

// Its real Schur form has real eigenvalues and blocks of two rows, of a complex pair, on the diagonal: the modulus of
// a pair is the root of the block's determinant.
double spectral_radius(const Matrix& A) {
  const Matrix T = Eigen::RealSchur<Matrix>(A, false).matrixT();
  double greatest = 0.0;
  for (Index i = 0; i < T.rows(); ++i) {
    if (i + 1 < T.rows() && T(i + 1, i) != 0.0) {
      const double pair = T(i, i) * T(i + 1, i + 1) - T(i, i + 1) * T(i + 1, i);
      greatest = std::max(greatest, std::sqrt(pair));
      ++i;
    } else {
      greatest = std::max(greatest, std::abs(T(i, i)));
    }
  }
  return greatest;
}

} // namespace stickslip::linalg
