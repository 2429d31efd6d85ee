// LU factorisation with partial pivoting of a small dense matrix, in place, column-major, without allocation.
// With N > 0 the size is known to the compiler.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stickslip {

// False if a pivot is zero or not finite. Row i of the factors is row order[i] of the matrix; the diagonal
// keeps the reciprocals of the pivots.
template <Index N = 0, class Real> bool lu_factor(Real* m, Index size, int* order) {
  using std::abs, std::isfinite;
  const Index n = N > 0 ? N : size;
  for (Index i = 0; i < n; ++i) order[i] = static_cast<int>(i);
  for (Index k = 0; k < n; ++k) {
    Real* const column = m + k * n;
    Index p = k;
    for (Index i = k + 1; i < n; ++i)
      if (abs(column[i]) > abs(column[p])) p = i;
    if (!(abs(column[p]) > Real(0)) || !isfinite(column[p])) return false;
    if (p != k) {
      std::swap(order[k], order[p]);
      for (Index j = 0; j < n; ++j) std::swap(m[j * n + k], m[j * n + p]);
    }
    const Real inverse = Real(1) / column[k];
    for (Index i = k + 1; i < n; ++i) column[i] *= inverse;
    for (Index j = k + 1; j < n; ++j) {
      Real* const other = m + j * n;
      const Real factor = other[k];
      for (Index i = k + 1; i < n; ++i) other[i] -= column[i] * factor;
    }
    column[k] = inverse;
  }
  return true;
}

// b and x must not overlap.
template <Index N = 0, class Real>
void lu_solve(const Real* m, Index size, const int* order, const Real* b, Real* x) {
  const Index n = N > 0 ? N : size;
  for (Index i = 0; i < n; ++i) x[i] = b[order[i]];
  for (Index k = 0; k + 1 < n; ++k)
    for (Index i = k + 1; i < n; ++i) x[i] -= m[k * n + i] * x[k];
  for (Index k = n - 1; k >= 0; --k) {
    x[k] *= m[k * n + k];
    for (Index i = 0; i < k; ++i) x[i] -= m[k * n + i] * x[k];
  }
}

// The same for many right-hand sides: rows of B and X are contiguous, with an entry for each.
template <class Real>
void lu_solve_rows(const Real* m, Index n, const int* order, const Real* B, Index columns, Real* X) {
  const auto subtract = [&](Index from, Index to) {
    const Real factor = m[from * n + to];
    if (factor == Real(0)) return;
    const Real* const __restrict source = X + from * columns;
    Real* const __restrict target = X + to * columns;
    for (Index j = 0; j < columns; ++j) target[j] -= factor * source[j];
  };
  for (Index i = 0; i < n; ++i) std::copy_n(B + order[i] * columns, columns, X + i * columns);
  for (Index k = 0; k + 1 < n; ++k)
    for (Index i = k + 1; i < n; ++i) subtract(k, i);
  for (Index k = n - 1; k >= 0; --k) {
    for (Index j = 0; j < columns; ++j) X[k * columns + j] *= m[k * n + k];
    for (Index i = 0; i < k; ++i) subtract(k, i);
  }
}

// The factors of a matrix of fixed size become its inverse, each column solved with partial pivoting. For
// repeated right-hand sides that wait for each other a product is much quicker than a solution, and as
// accurate (A. Druinsky, S. Toledo, How accurate is inv(A)*b?, arXiv 1201.6035).
template <Index N> void lu_invert(double* m, const int* order) {
  double inverse[N * N];
  for (Index k = 0; k < N; ++k) {
    double unit[N] = {};
    unit[k] = 1.0;
    lu_solve<N>(m, N, order, unit, inverse + k * N);
  }
  for (Index i = 0; i < N * N; ++i) m[i] = inverse[i];
}

} // namespace stickslip
