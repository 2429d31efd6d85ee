#include "core/affine_taylor.hpp"

#include "core/error.hpp"
#include "core/rough_math.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {
namespace {

constexpr Index max_columns = 64;
constexpr double negligible =
    0x1p-60; // of the state, for terms left out: far below rounding, so that it never adds up
constexpr double log2_negligible = -60.0;
constexpr double cancellation = 30.0; // largest term / state
constexpr double underflow = 1e-250;  // in units of the scale: below it a zero proves nothing

constexpr auto inverse_number = [] {
  std::array<double, max_columns> table{};
  for (Index k = 1; k < std::ssize(table); ++k) table[k] = 1.0 / static_cast<double>(k);
  return table;
}();

template <Index N> double norm(const double* x, const double* inverse_scale, Index size) {
  const Index n = N > 0 ? N : size;
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) worst = std::max(worst, std::abs(x[i]) * inverse_scale[i]);
  return worst;
}

// y = factor * (A x) ; N > 0: the size is known to the compiler.
template <Index N>
void product(const double* A, Index stride, Index size, const double* x, double factor, double* y) {
  const Index n = N > 0 ? N : size;
  if constexpr (N > 0) {
    using Column = Eigen::Matrix<double, N, 1>;
    const Column v = Eigen::Map<const Column>(x);
    Column sum = Eigen::Map<const Column>(A) * v[0];
    for (Index j = 1; j < N; ++j) sum += Eigen::Map<const Column>(A + j * stride) * v[j];
    Eigen::Map<Column> out(y);
    out = factor * sum;
  } else {
    for (Index i = 0; i < n; ++i) y[i] = 0.0;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) y[i] += A[j * stride + i] * x[j];
    for (Index i = 0; i < n; ++i) y[i] *= factor;
  }
}

// Size of the curve at theta = ratio, in units of the scale.
double size_at(const double* C, Index stride, Index n, Index degree, double ratio,
               const double* inverse_scale) {
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    double x = C[degree * stride + i];
    for (Index k = degree - 1; k >= 0; --k) x = x * ratio + C[k * stride + i];
    worst = std::max(worst, std::abs(x) * inverse_scale[i]);
  }
  return worst;
}

// max over i of sum_j |A_ij| scale_j / scale_i: bounds the growth of the terms.
double rate_of(const double* A, Index stride, Index n, const double* scale, const double* inverse_scale) {
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (Index j = 0; j < n; ++j) sum += std::abs(A[j * stride + i]) * scale[j];
    worst = std::max(worst, sum * inverse_scale[i]);
  }
  return worst;
}

// The greatest ratio by which the trial step may be stretched: the last terms (four, for series with gaps) have to
// become negligible against the state, whose size the first terms show.
double allowed_ratio(const double* size, Index last) {
  std::array<double, 4> logs{};
  Index count = 0;
  for (Index k = last; k > last - 4 && k >= 1; --k)
    logs[count++] = size[k] > underflow ? rough_log2(size[k]) : -std::numeric_limits<double>::infinity();
  double ratio = 1.0;
  for (int round = 0; round < 4; ++round) {
    const double reference =
        rough_log2(std::max({size[0], size[1] * ratio, size[2] * ratio * ratio})) + log2_negligible;
    double next = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < count; ++i)
      next = std::min(next, (reference - logs[i]) / static_cast<double>(last - i));
    next = rough_exp2(next);
    if (std::abs(next - ratio) <= 0.02 * ratio) return std::min(next, ratio);
    ratio = next;
  }
  return ratio;
}

// next += factor S s
template <Index N> void add_signals(const MatrixRef& S, const double* s, double factor, double* next) {
  const Index n = N > 0 ? N : S.rows();
  for (Index j = 0; j < S.cols(); ++j) {
    const double f = factor * s[j];
    if (f != 0.0)
      for (Index i = 0; i < n; ++i) next[i] += f * S(i, j);
  }
}

// Stretches the step: term k by ratio^k.
template <Index N>
void stretch(double* c, Index stride, Index states, Index degree, double ratio, double* size) {
  const Index n = N > 0 ? N : states;
  double p = ratio;
  for (Index k = 1; k <= degree; ++k, p *= ratio) {
    size[k] *= p;
    for (Index i = 0; i < n; ++i) c[k * stride + i] *= p;
  }
}

// Shortens a step by `ratio` until no term is so much larger than the state that digits cancel.
double without_cancellation(const double* c, Index stride, Index n, Index degree, const double* size,
                            const double* inverse_scale, double ratio) {
  for (int round = 0; round < 20; ++round) {
    double biggest = 0.0, p = 1.0;
    for (Index k = 0; k <= degree; ++k, p *= ratio) biggest = std::max(biggest, size[k] * p);
    if (biggest <= cancellation * size[0]) break;
    const double state = std::max({size[0], size_at(c, stride, n, degree, ratio, inverse_scale),
                                   size_at(c, stride, n, degree, 0.5 * ratio, inverse_scale)});
    if (biggest <= cancellation * state) break;
    ratio *= 0.7;
  }
  return ratio;
}

template <Index N>
Index series(const MatrixRef& A, const MatrixRef& S, const MatrixRef& s, const double* x0, double horizon,
             const StateSizes& scale, Eigen::Ref<Matrix> C, double& h) {
  const Index n = N > 0 ? N : A.rows();
  const Index last = std::min(C.cols(), max_columns) - 1;
  const Index stride = C.outerStride();
  double* const c = C.data();
  const double* const inverse_scale = scale.inverse.data();
  Index drives = S.cols() > 0 ? std::min(s.cols(), last) : 0; // number of columns of s that matter
  while (drives > 0 && (s.col(drives - 1).array() == 0.0).all()) --drives;

  // Trial step: long enough to be right at once for short horizons, short enough that nothing overflows.
  const double rate = rate_of(A.data(), A.outerStride(), n, scale.size.data(), inverse_scale);
  const double trial = rate * horizon > 8.0 ? 8.0 / rate : horizon;
  std::array<double, max_columns> size{};
  for (Index i = 0; i < n; ++i) c[i] = x0[i];
  size[0] = norm<N>(c, inverse_scale, n);
  double largest = size[0];
  Index degree = last;
  int small = 0;     // terms in a row that are negligible
  bool lost = false; // terms have come so close to zero that a zero after them proves nothing
  double power = trial;
  for (Index k = 0; k < last; ++k) {
    const double* const now = c + k * stride;
    double* const next = c + (k + 1) * stride;
    product<N>(A.data(), A.outerStride(), n, now, trial * inverse_number[k + 1], next);
    if (k < drives) {
      add_signals<N>(S, s.col(k).data(), power / static_cast<double>(k + 1), next);
      power *= trial;
    }
    const double term = norm<N>(next, inverse_scale, n);
    size[k + 1] = term;
    lost = lost || (size[k] > 0.0 && size[k] <= underflow);
    if (term == 0.0 && k + 1 >= drives && !lost) {
      degree = k; // all later terms are zero as well
      while (degree > 0 && size[degree] == 0.0) --degree;
      h = horizon;
      if (horizon != trial) stretch<N>(c, stride, n, degree, horizon / trial, size.data());
      return degree;
    }
    largest = std::max(largest, term);
    small = term <= negligible * largest && k + 1 >= drives ? small + 1 : 0;
    if (small == 4 && trial == horizon) {
      degree = k + 1 - 3;
      break;
    }
  }

  // If the trial step is far too short (a scale unrelated to the motion) the last terms underflow:
  // the series is then cut before them.
  while (degree > 4 && size[degree] <= underflow) --degree;
  double ratio = 1.0;
  if (small < 4 || trial != horizon) ratio = std::min(allowed_ratio(size.data(), degree), horizon / trial);
  ratio = without_cancellation(c, stride, n, degree, size.data(), inverse_scale, ratio);
  h = horizon;
  if (ratio < horizon / trial) {
    h = cut_step(ratio * trial);
    ratio = h / trial;
  }
  if (ratio != 1.0) stretch<N>(c, stride, n, degree, ratio, size.data());
  const double floor = 0.25 * negligible * *std::max_element(size.begin(), size.begin() + 3);
  while (degree > 1 && size[degree] <= floor) --degree;
  return degree;
}

} // namespace

double cut_step(double h) {
  int exponent = 0;
  const double fraction = std::frexp(h, &exponent);
  return std::ldexp(std::floor(std::ldexp(fraction, 24)), exponent - 24);
}

Index affine_taylor(const MatrixRef& A, const MatrixRef& S, const MatrixRef& s, const double* x0,
                    double horizon, const StateSizes& scale, Eigen::Ref<Matrix> C, double& h) {
  if (C.cols() < 3) reject("C", "needs at least 3 columns");
  switch (A.rows()) {
  case 1:
    return series<1>(A, S, s, x0, horizon, scale, C, h);
  case 2:
    return series<2>(A, S, s, x0, horizon, scale, C, h);
  case 3:
    return series<3>(A, S, s, x0, horizon, scale, C, h);
  case 4:
    return series<4>(A, S, s, x0, horizon, scale, C, h);
  case 5:
    return series<5>(A, S, s, x0, horizon, scale, C, h);
  case 6:
    return series<6>(A, S, s, x0, horizon, scale, C, h);
  case 7:
    return series<7>(A, S, s, x0, horizon, scale, C, h);
  case 8:
    return series<8>(A, S, s, x0, horizon, scale, C, h);
  default:
    return series<0>(A, S, s, x0, horizon, scale, C, h);
  }
}

} // namespace stickslip
