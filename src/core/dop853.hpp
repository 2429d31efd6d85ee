// Explicit Runge-Kutta pair of order 8 (Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed., II.5 and II.10) with dense
// output of order 7 (II.6). One attempt costs eleven evaluations besides the one at its start, its dense output four
// more, the first of them at the start of the next step; nothing is allocated.
#pragma once

#include "core/dop853_table.hpp"
#include "core/types.hpp"

#include <cmath>
#include <utility>

namespace stickslip {

inline constexpr int dop853_order = 8;
inline constexpr Index dop853_dense_columns = 8;

struct Dop853Workspace {
  Matrix k;     // stages, n x 16; column 12 is f(t + h, x1) once there is dense output
  Vector stage; // argument of f
  Vector last;  // that of the last stage of the attempt, which is at its end
  Vector x1;    // result
  Vector error; // x1 minus the result of order 5
  Vector rough; // x1 minus the result of order 3

  explicit Dop853Workspace(Index n = 0) { resize(n); }
  void resize(Index n) {
    k.resize(n, dop853::all_stages);
    stage.resize(n), last.resize(n), x1.resize(n), error.resize(n), rough.resize(n);
  }
};

namespace detail {

// sum of row[j] * k_j over the first S stages; those with the weight 0 cost nothing.
template <const dop853::Row& row, int S> double weighted(const double* k, Index n, Index i) {
  double sum = 0.0;
  [&]<std::size_t... j>(std::index_sequence<j...>) {
    ((row[j] != 0.0 ? void(sum += row[j] * k[static_cast<Index>(j) * n + i]) : void()), ...);
  }(std::make_index_sequence<S>{});
  return sum;
}

template <int S, class F> void dop853_stage(F&& f, double t, const double* x, double h, Dop853Workspace& w) {
  const Index n = w.x1.size();
  for (Index i = 0; i < n; ++i) w.stage(i) = x[i] + h * weighted<dop853::a[S], S>(w.k.data(), n, i);
  f(t + h * dop853::c[S], static_cast<const double*>(w.stage.data()), w.k.data() + S * n);
}

} // namespace detail

// f(t, const double* x, double* dx); k1 = f(t, x), n values.
template <class F>
void dop853_attempt(F&& f, double t, const double* x, const double* k1, double h, Dop853Workspace& w) {
  const Index n = w.x1.size();
  double* const k = w.k.data();
  for (Index i = 0; i < n; ++i) k[i] = k1[i];
  [&]<int... s>(std::integer_sequence<int, s...>) {
    (detail::dop853_stage<s + 1>(f, t, x, h, w), ...);
  }(std::make_integer_sequence<int, dop853::stages - 1>{});
  w.last = w.stage;
  for (Index i = 0; i < n; ++i) {
    w.x1(i) = x[i] + h * detail::weighted<dop853::a[dop853::stages], dop853::stages>(k, n, i);
    w.error(i) = h * detail::weighted<dop853::error5, dop853::stages>(k, n, i);
    w.rough(i) = h * detail::weighted<dop853::error3, dop853::stages>(k, n, i);
  }
}

// Error norm from both estimates of an attempt, in units of the tolerance: their combination shrinks with h^8 (II.10).
inline double dop853_error(double of_order_5, double of_order_3) {
  if (!(of_order_5 > 0.0)) return of_order_5;
  return of_order_5 * (of_order_5 / std::hypot(of_order_5, 0.1 * of_order_3));
}

// Dense output of the attempt just made: C is n x 8, column k belongs to theta^k.
template <class F>
void dop853_dense(F&& f, double t, const double* x, double h, Dop853Workspace& w, Eigen::Ref<Matrix> C) {
  const Index n = w.x1.size();
  double* const k = w.k.data();
  f(t + h, static_cast<const double*>(w.x1.data()), k + dop853::stages * n);
  detail::dop853_stage<13>(f, t, x, h, w);
  detail::dop853_stage<14>(f, t, x, h, w);
  detail::dop853_stage<15>(f, t, x, h, w);
  constexpr int all = dop853::all_stages;
  for (Index i = 0; i < n; ++i) {
    const double difference = w.x1(i) - x[i], first = h * k[i], last = h * k[dop853::stages * n + i];
    const double terms[] = {difference,
                            first - difference,
                            2.0 * difference - (first + last),
                            h * detail::weighted<dop853::d[0], all>(k, n, i),
                            h * detail::weighted<dop853::d[1], all>(k, n, i),
                            h * detail::weighted<dop853::d[2], all>(k, n, i),
                            h * detail::weighted<dop853::d[3], all>(k, n, i)};
    // x + s (terms_0 + (1 - s)(terms_1 + s (terms_2 + (1 - s)(... + s terms_6)))), expanded in s
    double p[dop853_dense_columns] = {terms[6]};
    for (int m = 5; m >= 0; --m) {
      for (int j = 6 - m; j > 0; --j) p[j] = m % 2 == 0 ? p[j] - p[j - 1] : p[j - 1];
      p[0] = (m % 2 == 0 ? p[0] : 0.0) + terms[m];
    }
    C(i, 0) = x[i];
    for (Index j = 1; j < dop853_dense_columns; ++j) C(i, j) = p[j - 1];
  }
}

} // namespace stickslip
