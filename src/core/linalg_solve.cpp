#include "core/linalg.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <unsupported/Eigen/MatrixFunctions>

namespace stickslip::linalg {

Matrix solve(const Matrix& A, const Matrix& B) {
  return A.partialPivLu().solve(B);
}

Matrix inverse(const Matrix& A) {
  return A.partialPivLu().inverse();
}

Cholesky::Cholesky(const Matrix& A) {
  const Eigen::LLT<Matrix> factor(A);
  definite = factor.info() == Eigen::Success;
  L = factor.matrixL();
}

Matrix Cholesky::solve(const Matrix& B) const {
  Matrix X = B;
  L.triangularView<Eigen::Lower>().solveInPlace(X);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(X);
  return X;
}

Matrix exponential(const Matrix& A) {
  return A.exp();
}

} // namespace stickslip::linalg
