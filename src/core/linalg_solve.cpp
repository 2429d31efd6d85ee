#include "core/linalg.hpp"

#include "core/budget.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::linalg {

Matrix solve(const Matrix& A, const Matrix& B) {
  Budget::spend_cube(A.rows());
  return A.partialPivLu().solve(B);
}

Matrix inverse(const Matrix& A) {
  Budget::spend_cube(A.rows());
  return A.partialPivLu().inverse();
}

double determinant(const Matrix& A) {
  Budget::spend_cube(A.rows());
  return A.partialPivLu().determinant();
}

Cholesky::Cholesky(const Matrix& A) {
  Budget::spend_cube(A.rows());
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

Vector balance(const Matrix& A, double negligible) {
  const Index n = A.rows();
  Vector d = Vector::Ones(n);
  for (int round = 0; round < 100; ++round) {
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      double row = 0.0, column = 0.0;
      for (Index j = 0; j < n; ++j)
        if (j != i) row += std::abs(A(i, j)) * d(j) / d(i), column += std::abs(A(j, i)) * d(i) / d(j);
      row = std::max(row, negligible), column = std::max(column, negligible);
      if (row == 0.0 || column == 0.0) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0 || row / factor + column * factor > 0.95 * (row + column)) continue;
      d(i) *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  return d;
}

// Scaling and squaring of the Taylor series (Moler and Van Loan, SIAM Review 45 (2003) 3-49, methods 1 and 3). Powers
// of two scale without rounding, and sums and products round each entry relative to the terms of its own row and
// column, so that units matter in one place only: in the norm, whose logarithm is the number of squarings, each of
// which doubles the error.
Matrix exponential(const Matrix& A) {
  // The first term left out is 1/20! = 4e-19 at norm 1. At norms below an eighth balancing saves nothing.
  constexpr Index group = 4, last = 5 * group - 1;
  const Index n = A.rows();
  const Vector d = balance(A, 0.125);
  Matrix B = d.cwiseInverse().asDiagonal() * A * d.asDiagonal();
  const double size = n > 0 ? B.cwiseAbs().colwise().sum().maxCoeff() : 0.0;
  const int halvings = size > 1.0 ? static_cast<int>(std::ceil(std::log2(size))) : 0;
  B *= std::ldexp(1.0, -halvings);
  const Matrix B2 = B * B, B3 = B2 * B, B4 = B2 * B2;
  // Horner's rule in powers of B^4 (Paterson and Stockmeyer, SIAM J. Comput. 2 (1973) 60-66); c = 1/k!.
  Matrix E = Matrix::Zero(n, n);
  for (Index k = last + 1 - group; k >= 0; k -= group) {
    const double c = 1.0 / std::tgamma(static_cast<double>(k) + 1.0), c1 = c / static_cast<double>(k + 1),
                 c2 = c1 / static_cast<double>(k + 2), c3 = c2 / static_cast<double>(k + 3);
    E = (E * B4 + c3 * B3 + c2 * B2 + c1 * B).eval();
    E.diagonal().array() += c;
  }
  for (int k = 0; k < halvings; ++k) E = (E * E).eval();
  return d.asDiagonal() * E * d.cwiseInverse().asDiagonal();
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
