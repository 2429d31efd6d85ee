#include "core/linalg.hpp"

#include <Eigen/Eigenvalues>

namespace stickslip::linalg {

Vector symmetric_eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

double spectral_radius(const Matrix& A) {
  return A.eigenvalues().cwiseAbs().maxCoeff();
}

} // namespace stickslip::linalg
