#include "core/linalg.hpp"

#include "core/budget.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <limits>

namespace stickslip::linalg {

// Jacobi's method is slow on a large matrix: of one whose rank is small, as constraints of few coordinates have it, it
// works on the rows of R that are not rounding.
Svd::Svd(const Matrix& A) {
  Budget::spend_cube(A.rows() + A.cols());
  const Eigen::ColPivHouseholderQR<Matrix> qr(A);
  const Index rows = qr.rank();
  constexpr int full = Eigen::ComputeFullU | Eigen::ComputeFullV;
  if (2 * rows > std::min(A.rows(), A.cols()) || rows == 0) {
    const Eigen::JacobiSVD<Matrix> svd(A, full);
    U = svd.matrixU(), V = svd.matrixV(), values = svd.singularValues();
    return;
  }
  const Matrix R = qr.matrixR().topRows(rows).triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Matrix> svd(R, full);
  U = qr.householderQ() * Matrix::Identity(A.rows(), A.rows());
  U.leftCols(rows) = (U.leftCols(rows) * svd.matrixU()).eval();
  V = qr.colsPermutation() * svd.matrixV();
  values = Vector::Zero(std::min(A.rows(), A.cols()));
  values.head(rows) = svd.singularValues();
}

bool full_rank(const Matrix& A, double threshold) {
  Budget::spend_cube(A.rows());
  Eigen::ColPivHouseholderQR<Matrix> qr(A);
  return qr.setThreshold(threshold).isInvertible();
}

Index Svd::rank(double threshold) const {
  if (values.size() == 0) return 0;
  const double least = std::max(threshold * values(0), std::numeric_limits<double>::min());
  return (values.array() > least).count();
}

Matrix Svd::pseudo_inverse(Index rank) const {
  const Matrix rows = values.head(rank).cwiseInverse().asDiagonal() * U.leftCols(rank).transpose();
  return V.leftCols(rank) * rows;
}

namespace {

Index rank_but_for_rounding(const Svd& svd) {
  return svd.rank(std::numeric_limits<double>::epsilon() * static_cast<double>(svd.values.size()));
}

} // namespace

Matrix pseudo_inverse(const Matrix& A, double threshold) {
  const Svd svd(A);
  return svd.pseudo_inverse(threshold > 0.0 ? svd.rank(threshold) : rank_but_for_rounding(svd));
}

Vector least_norm_solution(const Matrix& A, const Vector& b) {
  constexpr double clearly = 1e-6; // with pivots so far above rounding the rank needs no singular values
  if (full_rank(A, clearly)) return solve(A, b);
  const Svd svd(A);
  const Index rank = rank_but_for_rounding(svd);
  if (rank == A.rows()) return solve(A, b);
  return svd.pseudo_inverse(rank) * b;
}

Matrix orthonormal(const Matrix& A) {
  Budget::spend_cube(A.rows());
  return Eigen::HouseholderQR<Matrix>(A).householderQ() * Matrix::Identity(A.rows(), A.cols());
}

std::vector<Index> pivot_order(const Matrix& A) {
  Budget::spend_cube(A.rows());
  const Eigen::ColPivHouseholderQR<Matrix> factor(A);
  const auto& order = factor.colsPermutation().indices();
  return {order.data(), order.data() + order.size()};
}

} // namespace stickslip::linalg
