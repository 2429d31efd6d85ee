// Rosenbrock method Rodas5P (G. Steinebach, BIT Numer. Math. 63 (2023) 27): 8 stages, order 5 with an
// embedded result of order 4, L-stable, stiffly accurate, dense output of order 4. It needs the Jacobian
// df/dx and the time derivative df/dt exactly, one LU factorisation per attempt and no iteration. Stages are
// in the transformed form of Hairer and Wanner, Solving ODEs II, IV.7: (1/(h gamma) I - J) u_i = f(t + c_i h,
// x + sum a_ij u_j) + sum C_ij u_j / h + h d_i f_t.
#pragma once

#include "core/rodas5p.hpp"
#include "core/small_lu.hpp"
#include "core/types.hpp"

#include <type_traits>
#include <utility>

namespace stickslip {

inline constexpr int rosenbrock_order = 5;
inline constexpr Index rosenbrock_dense_columns = 5;

struct RosenbrockWorkspace {
  Matrix u;  // stages, n x 8
  Matrix lu; // of the matrix of the step; its inverse where N is fixed
  Eigen::Matrix<int, Eigen::Dynamic, 1> order;
  Vector argument, sum; // work
  Vector x1, error, residual;

  explicit RosenbrockWorkspace(Index n = 0) { resize(n); }
  void resize(Index n) {
    u.resize(n, rodas5p::stages);
    lu.resize(n, n), order.resize(n);
    argument.resize(n), sum.resize(n), x1.resize(n), error.resize(n), residual.resize(n);
  }
};

namespace detail {

// out = start + sum of row[j] * U.col(j) over j < S; the newest column comes last, so that its latency shows
// once.
template <int S>
inline void combine(const rodas5p::Row& row, const double* U, Index n, const double* start, double* out) {
  [&]<size_t... j>(std::index_sequence<j...>) {
    for (Index i = 0; i < n; ++i) out[i] = (start[i] + ... + (row[j] * U[j * n + i]));
  }(std::make_index_sequence<S>{});
}

// x = W^-1 b; `matrix` is the inverse if the size is fixed, else the factors.
template <Index N>
inline void apply(const double* matrix, const int* order, Index n, const double* b, double* x) {
  if constexpr (N > 0) {
    for (Index i = 0; i < N; ++i) {
      double total = matrix[i] * b[0];
      for (Index j = 1; j < N; ++j) total += matrix[j * N + i] * b[j];
      x[i] = total;
    }
  } else {
    lu_solve(matrix, n, order, b, x);
  }
}

// N values that the compiler can keep in registers, or the caller's memory if the size is free.
template <Index N> struct Values {
  double own[N > 0 ? N : 1];
  double* at(double* memory) { return N > 0 ? own : memory; }
};

} // namespace detail

// f(t, const double* x, double* dx); f0 = f(t, x); J = df/dx, column by column; ft = df/dt, null if
// autonomous. Fills w.x1 and w.error (x1 minus the embedded result). False if the matrix is singular: take a
// smaller h. N > 0 fixes the size at compile time (it must be that of the workspace), which halves the cost
// of small systems.
template <Index N = 0, class F>
bool rosenbrock_attempt(F&& f, double t, const double* x, const double* f0, const double* J, const double* ft,
                        double h, RosenbrockWorkspace& w) {
  using namespace rodas5p;
  const Index n = N > 0 ? N : w.x1.size();
  double* const lu = w.lu.data();
  int* const order = w.order.data();
  const double shift = 1.0 / (h * gamma), rate = 1.0 / h;
  for (Index i = 0; i < n * n; ++i) lu[i] = -J[i];
  for (Index i = 0; i < n; ++i) lu[i * n + i] += shift;
  if (!lu_factor<N>(lu, n, order)) return false;
  if constexpr (N > 0) lu_invert<N>(lu, order);

  detail::Values<N> argument_values, rhs_values, sum_values;
  double* const argument = argument_values.at(w.argument.data());
  double* const rhs = rhs_values.at(w.error.data());
  double* const U = w.u.data();
  double* const sum = sum_values.at(w.sum.data());
  for (Index i = 0; i < n; ++i) rhs[i] = f0[i] + (ft ? h * d[0] * ft[i] : 0.0);
  detail::apply<N>(lu, order, n, rhs, U);
  const auto stage = [&]<int s>(std::integral_constant<int, s>) {
    constexpr auto row = s;
    if constexpr (s <= 5) {
      detail::combine<s>(a[row], U, n, x, argument);
    } else { // stiffly accurate: the arguments of the last two stages add the u before to the argument before
      for (Index i = 0; i < n; ++i) argument[i] += U[(s - 1) * n + i];
    }
    // The contributions of earlier stages to the right-hand side are summed while f is evaluated.
    for (Index i = 0; i < n; ++i) sum[i] = s <= 4 && ft ? h * h * d[row] * ft[i] : 0.0;
    detail::combine<s>(C[row], U, n, sum, sum);
    f(t + c[row] * h, static_cast<const double*>(argument), rhs);
    for (Index i = 0; i < n; ++i) rhs[i] += rate * sum[i];
    detail::apply<N>(lu, order, n, rhs, U + s * n);
  };
  [&]<int... s>(std::integer_sequence<int, s...>) {
    (stage(std::integral_constant<int, s + 1>{}), ...);
  }(std::make_integer_sequence<int, stages - 1>{});
  const double* const last = U + (stages - 1) * n;
  for (Index i = 0; i < n; ++i) {
    w.x1[i] = argument[i] + last[i];
    w.error[i] = last[i];
  }
  return true;
}

// Dense output of the last attempt: D is n x 5, column k belongs to theta^k. From the stages alone: in a short step the
// difference of its ends would be numerical noise.
inline void rosenbrock_dense(const double* x, const RosenbrockWorkspace& w, Eigen::Ref<Matrix> D) {
  const Index n = w.x1.size();
  for (Index i = 0; i < n; ++i) {
    double k[3] = {0.0, 0.0, 0.0};
    for (int j = 0; j < rodas5p::stages; ++j) {
      const double u = w.u(i, j);
      for (Index l = 0; l < 3; ++l) k[l] += rodas5p::H[l][j] * u;
    }
    // (1 - s) x + s (x1 + (1 - s)(k0 + s (k1 + s k2))), expanded in s
    double difference = 0.0;
    for (int j = 0; j < rodas5p::stages; ++j) difference += (j < 5 ? rodas5p::a[5][j] : 1.0) * w.u(i, j);
    D(i, 0) = x[i];
    D(i, 1) = difference + k[0];
    D(i, 2) = k[1] - k[0];
    D(i, 3) = k[2] - k[1];
    D(i, 4) = -k[2];
  }
}

// A second check of an attempt: the residual of its dense output D in the middle of the step, filtered by the matrix of
// the step so that stiff components do not exaggerate it. It has the order of the error estimate, costs one evaluation,
// and detects features between the stages, such as a narrow Stribeck peak; it also bounds the error of dense output.
// Accept where max(norm(w.error), rosenbrock_residual_weight * norm(w.residual)) <= 1.
inline constexpr double rosenbrock_residual_weight = 0.3;

template <Index N = 0, class F>
void rosenbrock_residual(F&& f, double t, double h, const MatrixRef& D, RosenbrockWorkspace& w) {
  const Index n = N > 0 ? N : w.x1.size();
  double* const middle = w.argument.data();
  double* const rate = w.residual.data();
  double* const rhs = w.sum.data();
  for (Index i = 0; i < n; ++i)
    middle[i] = D(i, 0) + 0.5 * (D(i, 1) + 0.5 * (D(i, 2) + 0.5 * (D(i, 3) + 0.5 * D(i, 4))));
  f(t + 0.5 * h, static_cast<const double*>(middle), rate);
  for (Index i = 0; i < n; ++i)
    rhs[i] = ((D(i, 1) + D(i, 2) + 0.75 * D(i, 3) + 0.5 * D(i, 4)) / h - rate[i]) / rodas5p::gamma;
  detail::apply<N>(w.lu.data(), w.order.data(), n, rhs, rate);
}

} // namespace stickslip
