// Exact flow of x' = A x + S s(tau): the Taylor series of the solution, summed to rounding. The series of a linear
// system has an infinite radius of convergence, its terms follow by one product each, and the result is a polynomial in
// time, on which guards can be isolated with certainty.
#pragma once

#include "core/types.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

inline constexpr Index affine_taylor_max_degree = 30;

// s_series: Taylor coefficients of the signals in tau, one row each. Fills C with coefficients in theta = tau / h and
// sets h <= horizon; returns the degree. `scale` is the size of each state below which errors do not matter.
inline Index affine_taylor(const Matrix& A, const Matrix& S, const Matrix& s_series, const Vector& x0, double horizon,
                           const Vector& scale, Matrix& C, double& h) {
  constexpr Index N = affine_taylor_max_degree;
  const Index n = x0.size();
  C.col(0) = x0;
  Index last = 0; // highest power with a non-zero coefficient
  for (Index k = 0; k < N; ++k) {
    auto next = C.col(k + 1);
    next.noalias() = A.lazyProduct(C.col(k));
    if (k < s_series.cols()) next.noalias() += S.lazyProduct(s_series.col(k));
    next /= static_cast<double>(k + 1);
    if (!next.isZero(0.0)) last = k + 1;
    else if (k >= last + 2 && (k + 1 >= s_series.cols() || s_series.rightCols(s_series.cols() - k - 1).isZero(0.0))) {
      C.middleCols(k + 2, N - k - 1).setZero();
      break;
    }
  }
  h = horizon;
  if (last > N - 2) {
    // The last two terms must drop below rounding of the state (or of its size), and no term may outgrow it much.
    double reach = horizon;
    for (Index i = 0; i < n; ++i) {
      double size = std::max(std::abs(x0(i)), 1e-3 * scale(i));
      if (!(size > 0.0)) size = 1e-300;
      // Grow with what the state becomes: a state at rest may start from zero.
      for (Index k = N - 1; k <= N; ++k) {
        const double c = std::abs(C(i, k));
        if (c == 0.0) continue;
        // c h^k <= eps * max_j |c_j| h^j, approximated with the first terms
        double best = std::pow(1e-17 * size / c, 1.0 / static_cast<double>(k));
        for (Index j = 1; j <= 4; ++j) {
          const double cj = std::abs(C(i, j));
          if (cj > 0.0) best = std::max(best, std::pow(1e-17 * cj / c, 1.0 / static_cast<double>(k - j)));
        }
        reach = std::min(reach, best);
      }
    }
    h = reach;
    last = N;
  }
  double power = h;
  for (Index k = 1; k <= last; ++k, power *= h) C.col(k) *= power;
  // Terms below rounding of every state are dropped.
  while (last > 0) {
    bool small = true;
    for (Index i = 0; i < n && small; ++i) {
      double size = 0.0;
      for (Index k = 0; k <= std::min<Index>(last - 1, 4); ++k) size = std::max(size, std::abs(C(i, k)));
      small = std::abs(C(i, last)) <= 1e-17 * size;
    }
    if (!small) break;
    --last;
  }
  return last;
}

} // namespace stickslip
