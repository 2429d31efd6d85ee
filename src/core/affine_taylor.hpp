// Exact flow of dx/dtau = A x + S s(tau) by its Taylor series, which is exact to rounding because the series
// of a linear flow converges everywhere and its recurrence x_{k+1} = (A x_k + S s_k) / (k + 1) costs one
// product per term.
#pragma once

#include "core/types.hpp"

#include <utility>

namespace stickslip {

// Degree that balances the cost of a step against its length: a step is a little longer than half a period of
// the fastest oscillation, so that the slip of a block on a spring, which is shorter than a period, takes
// two.
inline constexpr Index affine_taylor_degree = 34;

// Cut to 24 significant bits: sums of up to 2^29 such steps are exact, so that time does not drift from the flow.
double cut_step(double h);

// Nominal sizes of the states, all > 0, in which the series is judged; one inverse of each saves a division per
// term. Sized once, owned by the caller.
struct StateSizes {
  Vector size, inverse;

  explicit StateSizes(Index n) : size(Vector::Ones(n)), inverse(Vector::Ones(n)) {}
  explicit StateSizes(Vector sizes) : size(std::move(sizes)), inverse(size.cwiseInverse()) {}
  void set(Index i, double value) {
    size(i) = value;
    inverse(i) = 1.0 / value;
  }
};

// Writes the coefficients of x(theta h) = sum_k C.col(k) theta^k, theta in [0, 1], and the step h <= horizon;
// returns the degree. Columns beyond the degree are not touched. C needs at least 3 columns; the degree is at
// most C.cols() - 1 (affine_taylor_degree + 1 columns are a good choice).
//   A n x n, S n x m, s m x K: Taylor coefficients of the signals in tau; those beyond K are zero
//   (polynomials). x0 n values; horizon > 0, finite, the time that is left; scale the sizes of the n
//   states.
// The step ends where the first term left out would exceed 2^-60 of the state, or the largest term 30 times
// the state (cancellation). A series that ends (free flight, stick, constant acceleration) gives h = horizon
// and its exact degree.
Index affine_taylor(const MatrixRef& A, const MatrixRef& S, const MatrixRef& s, const double* x0,
                    double horizon, const StateSizes& scale, Eigen::Ref<Matrix> C, double& h);

} // namespace stickslip
