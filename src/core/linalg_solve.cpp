#include "core/linalg.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <unsupported/Eigen/MatrixFunctions>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::linalg {

Matrix solve(const Matrix& A, const Matrix& B) {
  return A.partialPivLu().solve(B);
}

Matrix inverse(const Matrix& A) {
  return A.partialPivLu().inverse();
}

double determinant(const Matrix& A) {
  return A.partialPivLu().determinant();
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

List<Index> groups(const Matrix& A, double least) {
  const Index n = A.rows();
  List<Index> group(n);
  std::iota(group.begin(), group.end(), Index{0});
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (std::abs(A(i, j)) > least && group[i] != group[j]) {
        const Index from = group[j], to = group[i];
        std::replace(group.begin(), group.end(), from, to);
      }
  return group;
}

List<List<Index>> members(const List<Index>& group) {
  const Index n = group.size();
  List<List<Index>> by_number(n);
  for (Index i = 0; i < n; ++i) by_number[group[i]].push_back(i);
  by_number.erase(std::remove_if(by_number.begin(), by_number.end(),
                                 [](const List<Index>& which) { return which.empty(); }),
                  by_number.end());
  return by_number;
}

} // namespace stickslip::linalg
