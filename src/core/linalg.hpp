// Dense matrices. Eigen's decompositions are compiled here, once, and callers see plain
// functions: their templates were a third of the time of a build.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

#include <vector>

namespace stickslip::linalg {

// X with A X = B, and the inverse, of a regular square matrix (LU, partial pivoting).
Matrix solve(const Matrix& A, const Matrix& B);
Matrix inverse(const Matrix& A);
double determinant(const Matrix& A);

// A = L L^T for a symmetric A. `definite`: A is positive definite; else L is invalid.
struct Cholesky {
  Matrix L;
  bool definite = false;

  explicit Cholesky(const Matrix& A);
  Matrix solve(const Matrix& B) const;
};

// A = U diag(values) V^T with square orthogonal U and V, values from the greatest down.
struct Svd {
  Matrix U, V;
  Vector values;

  explicit Svd(const Matrix& A);
  Index rank(double threshold) const;      // values above threshold times the greatest
  Matrix pseudo_inverse(Index rank) const; // of A without its other values
};

// True if a square matrix has full rank, without its singular values (QR, column pivoting).
bool full_rank(const Matrix& A, double threshold);

// x of least norm that minimises |A x - b| is pseudo_inverse(A) b. A threshold of zero stands for rounding.
Matrix pseudo_inverse(const Matrix& A, double threshold = 0.0);
// The same x for square A, by elimination where A is regular: zeros stay zeros there.
Vector least_norm_solution(const Matrix& A, const Vector& b);
// Orthonormal basis of the columns of A, which are independent.
Matrix orthonormal(const Matrix& A);
// Columns of A, each the farthest from the span of those before it (QR, column pivoting).
std::vector<Index> pivot_order(const Matrix& A);

// Number of the group of each row of a square A: rows that entries above `least` couple, directly or through others.
List<Index> groups(const Matrix& A, double least = 0.0);
// The members of each group, in ascending order.
List<List<Index>> members(const List<Index>& group);

// Sets entries to zero that are within this share of the magnitudes of the terms that they are sums of.
template <class Entries, class Terms>
void drop_rounding(Entries& m, const Eigen::MatrixBase<Terms>& terms, double share) {
  m = (m.array().abs() <= share * terms.eval().array()).select(0.0, m);
}

// Eigenvalues of a symmetric matrix from the least up; the greatest modulus of any eigenvalue of a square one.
Vector symmetric_eigenvalues(const Matrix& A);
double spectral_radius(const Matrix& A);

// Powers of two d that make rows and columns of A_ij d_j / d_i, off its diagonal, of equal size (Osborne, J. ACM 7
// (1960) 338-345). Rows and columns below `negligible` stay as they are.
Vector balance(const Matrix& A, double negligible = 0.0);
// Exponential of A in any units of its rows and columns: A is balanced first.
Matrix exponential(const Matrix& A);

} // namespace stickslip::linalg
