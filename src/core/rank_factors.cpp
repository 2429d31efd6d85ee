#include "core/rank_factors.hpp"

#include "core/budget.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace stickslip::linalg {

void RankFactors::reserve(Index most) {
  m.reserve(most * most), rows.reserve(most), columns.reserve(most);
}

double* RankFactors::start(Index size) {
  n = size;
  m.resize(n * n), rows.resize(n), columns.resize(n);
  return m.data();
}

void RankFactors::factor(Index most, double zero) {
  Budget::spend_cube(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::iota(columns.begin(), columns.end(), Index{0});
  double* const a = m.data();
  for (r = 0; r < most; ++r) {
    Index row = r, column = r;
    double best = 0.0;
    for (Index i = r; i < n; ++i)
      for (Index j = r; j < n; ++j)
        if (std::abs(a[i * n + j]) > best) best = std::abs(a[i * n + j]), row = i, column = j;
    if (!(best > zero)) return;
    if (row != r) {
      std::swap_ranges(a + r * n, a + (r + 1) * n, a + row * n);
      std::swap(rows[r], rows[row]);
    }
    if (column != r) {
      for (Index i = 0; i < n; ++i) std::swap(a[i * n + r], a[i * n + column]);
      std::swap(columns[r], columns[column]);
    }
    const double* const pivot = a + r * n;
    for (Index i = r + 1; i < n; ++i) {
      double* const other = a + i * n;
      if (other[r] == 0.0) continue;
      const double f = other[r] /= pivot[r];
      for (Index j = r + 1; j < n; ++j) other[j] -= f * pivot[j];
    }
  }
}

void RankFactors::solve(double* b, double* x) const {
  const double* const a = m.data();
  for (Index i = 0; i < n; ++i) x[i] = 0.0;
  double* const y = b; // in the order of the pivots, as far as it has been read
  for (Index k = 0; k < r; ++k) x[columns[k]] = b[rows[k]];
  for (Index k = 0; k < r; ++k) y[k] = x[columns[k]];
  for (Index i = 1; i < r; ++i)
    for (Index k = 0; k < i; ++k) y[i] -= a[i * n + k] * y[k];
  for (Index i = r; i-- > 0;) {
    double sum = y[i];
    for (Index j = i + 1; j < r; ++j) sum -= a[i * n + j] * y[j];
    y[i] = sum / a[i * n + i];
  }
  for (Index k = 0; k < r; ++k) x[columns[k]] = y[k];
}

// U1 x1 + U2 x2 = 0 for unit vectors x2.
void RankFactors::null(Matrix& out) const {
  const double* const a = m.data();
  out.setZero(n, n - r);
  for (Index c = 0; c < n - r; ++c) {
    double* const x = out.col(c).data();
    x[columns[r + c]] = 1.0;
    for (Index i = r; i-- > 0;) {
      double sum = -a[i * n + r + c];
      for (Index j = i + 1; j < r; ++j) sum -= a[i * n + j] * x[columns[j]];
      x[columns[i]] = sum / a[i * n + i];
    }
  }
}

// y1' L1 + y2' L2 = 0 likewise.
void RankFactors::left_null(Matrix& out) const {
  const double* const a = m.data();
  out.setZero(n, n - r);
  for (Index c = 0; c < n - r; ++c) {
    double* const y = out.col(c).data();
    y[rows[r + c]] = 1.0;
    for (Index k = r; k-- > 0;) {
      double sum = -a[(r + c) * n + k];
      for (Index i = k + 1; i < r; ++i) sum -= a[i * n + k] * y[rows[i]];
      y[rows[k]] = sum;
    }
  }
}

// Classical Gram-Schmidt, twice for each column: that is enough (Giraud, Langou, Rozloznik, van den Eshof, Numer. Math. 101
// (2005) 87-100).
void orthonormalise(Matrix& columns) {
  Vector along;
  for (Index c = 0; c < columns.cols(); ++c) {
    Budget::spend(4 * c * columns.rows());
    auto own = columns.col(c);
    const auto before = columns.leftCols(c);
    own /= own.cwiseAbs().maxCoeff(); // squares of entries in any units are numbers
    for (int round = 0; round < 2; ++round) {
      along.noalias() = before.transpose() * own;
      own.noalias() -= before * along;
      own.normalize();
    }
  }
}

} // namespace stickslip::linalg
