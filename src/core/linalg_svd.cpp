#include "core/linalg.hpp"

#include <Eigen/SVD>

#include <algorithm>
#include <limits>

namespace stickslip::linalg {

Svd::Svd(const Matrix& A) {
  Eigen::JacobiSVD<Matrix> factor(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  U = factor.matrixU();
  V = factor.matrixV();
  values = factor.singularValues();
}

Index Svd::rank(double threshold) const {
  if (values.size() == 0) return 0;
  const double least = std::max(threshold * values(0), std::numeric_limits<double>::min());
  return (values.array() > least).count();
}

} // namespace stickslip::linalg
