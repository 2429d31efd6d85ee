#include "core/linalg.hpp"

#include <Eigen/QR>

namespace stickslip::linalg {

Matrix pseudo_inverse(const Matrix& A, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
  if (threshold > 0.0) factor.setThreshold(threshold);
  factor.compute(A);
  return factor.pseudoInverse();
}

Matrix orthonormal(const Matrix& A) {
  return Eigen::HouseholderQR<Matrix>(A).householderQ() * Matrix::Identity(A.rows(), A.cols());
}

std::vector<Index> pivot_order(const Matrix& A) {
  const Eigen::ColPivHouseholderQR<Matrix> factor(A);
  const auto& order = factor.colsPermutation().indices();
  return {order.data(), order.data() + order.size()};
}

} // namespace stickslip::linalg
