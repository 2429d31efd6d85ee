// Explicit Runge-Kutta pair of order 5(4) of Dormand and Prince (J. Comp. Appl. Math. 6 (1980) 19-26) with
// the free interpolant of order 4 (Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed., II.6.12), which is C1
// across steps. The last stage is the first of the next step. One attempt costs six evaluations and allocates
// nothing.
#pragma once

#include "core/types.hpp"

namespace stickslip {

inline constexpr int dopri5_order = 5;
inline constexpr Index dopri5_dense_columns = 5;

struct Dopri5Workspace {
  Matrix k;     // stages, n x 7; column 6 is f(t + h, x1)
  Vector stage; // argument of f
  Vector x1;    // result
  Vector error; // x1 minus the result of order 4

  explicit Dopri5Workspace(Index n = 0) { resize(n); }
  void resize(Index n) {
    k.resize(n, 7);
    stage.resize(n), x1.resize(n), error.resize(n);
  }
};

// f(t, const double* x, double* dx); k1 = f(t, x), n values.
template <class F>
void dopri5_attempt(F&& f, double t, const double* x, const double* k1, double h, Dopri5Workspace& w) {
  const Index n = w.x1.size();
  double* const k = w.k.data();
  double* const y = w.stage.data();
  const double *const a = k, *const b = k + n, *const c = k + 2 * n, *const d = k + 3 * n,
                      *const e = k + 4 * n, *const g = k + 5 * n, *const last = k + 6 * n;
  for (Index i = 0; i < n; ++i) k[i] = k1[i];
  for (Index i = 0; i < n; ++i) y[i] = x[i] + h * (1.0 / 5 * a[i]);
  f(t + h * (1.0 / 5), y, k + n);
  for (Index i = 0; i < n; ++i) y[i] = x[i] + h * (3.0 / 40 * a[i] + 9.0 / 40 * b[i]);
  f(t + h * (3.0 / 10), y, k + 2 * n);
  for (Index i = 0; i < n; ++i) y[i] = x[i] + h * (44.0 / 45 * a[i] - 56.0 / 15 * b[i] + 32.0 / 9 * c[i]);
  f(t + h * (4.0 / 5), y, k + 3 * n);
  for (Index i = 0; i < n; ++i)
    y[i] = x[i] +
           h * (19372.0 / 6561 * a[i] - 25360.0 / 2187 * b[i] + 64448.0 / 6561 * c[i] - 212.0 / 729 * d[i]);
  f(t + h * (8.0 / 9), y, k + 4 * n);
  for (Index i = 0; i < n; ++i)
    y[i] = x[i] + h * (9017.0 / 3168 * a[i] - 355.0 / 33 * b[i] + 46732.0 / 5247 * c[i] + 49.0 / 176 * d[i] -
                       5103.0 / 18656 * e[i]);
  f(t + h, y, k + 5 * n);
  double* const x1 = w.x1.data();
  for (Index i = 0; i < n; ++i)
    x1[i] = x[i] + h * (35.0 / 384 * a[i] + 500.0 / 1113 * c[i] + 125.0 / 192 * d[i] - 2187.0 / 6784 * e[i] +
                        11.0 / 84 * g[i]);
  f(t + h, x1, k + 6 * n);
  double* const error = w.error.data();
  for (Index i = 0; i < n; ++i)
    error[i] = h * (71.0 / 57600 * a[i] - 71.0 / 16695 * c[i] + 71.0 / 1920 * d[i] - 17253.0 / 339200 * e[i] +
                    22.0 / 525 * g[i] - 1.0 / 40 * last[i]);
}

// Dense output of the last attempt: C is n x 5, column k belongs to theta^k. From the stages alone: in a short step the
// difference of its ends would be numerical noise.
inline void dopri5_dense(const double* x, double h, const Dopri5Workspace& w, Eigen::Ref<Matrix> C) {
  const Index n = w.x1.size();
  const double* const k = w.k.data();
  for (Index i = 0; i < n; ++i) {
    const double k1 = h * k[i], k3 = h * k[2 * n + i], k4 = h * k[3 * n + i], k5 = h * k[4 * n + i],
                 k6 = h * k[5 * n + i], k7 = h * k[6 * n + i];
    const double difference =
        35.0 / 384 * k1 + 500.0 / 1113 * k3 + 125.0 / 192 * k4 - 2187.0 / 6784 * k5 + 11.0 / 84 * k6;
    const double left = k1 - difference, right = difference - k7 - left;
    const double bend = -12715105075.0 / 11282082432 * k1 + 87487479700.0 / 32700410799 * k3 -
                        10690763975.0 / 1880347072 * k4 + 701980252875.0 / 199316789632 * k5 -
                        1453857185.0 / 822651844 * k6 + 69997945.0 / 29380423 * k7;
    // x + s (difference + (1 - s)(left + s (right + (1 - s) bend))), expanded in s
    C(i, 0) = x[i];
    C(i, 1) = k1;
    C(i, 2) = right + bend - left;
    C(i, 3) = -right - 2.0 * bend;
    C(i, 4) = bend;
  }
}

} // namespace stickslip
