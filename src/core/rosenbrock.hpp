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
  Matrix u; // stages, n x 8
  Matrix lu;
  Eigen::Matrix<int, Eigen::Dynamic, 1> order;
  Vector argument, x1, error;

  explicit RosenbrockWorkspace(Index n = 0) { resize(n); }
  void resize(Index n) {
    u.resize(n, rodas5p::stages);
    lu.resize(n, n), order.resize(n);
    argument.resize(n), x1.resize(n), error.resize(n);
  }
};

namespace detail {

// out += factor * sum of row[j] * U.col(j) over j < S; the newest column comes last, so that its latency
// shows once.
template <int S>
inline void accumulate(const rodas5p::Row& row, double factor, const double* U, Index n, double* out) {
  [&]<size_t... j>(std::index_sequence<j...>) {
    const double weight[] = {factor * row[j]...};
    for (Index i = 0; i < n; ++i) out[i] = (out[i] + ... + (weight[j] * U[static_cast<Index>(j) * n + i]));
  }(std::make_index_sequence<static_cast<size_t>(S)>{});
}

} // namespace detail

// f(t, const double* x, double* dx); f0 = f(t, x); J = df/dx, column by column; ft = df/dt, null if
// autonomous. Fills w.x1 and w.error (x1 minus the embedded result). False if the matrix is singular: take a
// smaller h. N > 0 fixes the size at compile time (it must be that of the workspace), which saves a third for
// small systems.
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

  double* const argument = w.argument.data();
  double* const rhs = w.error.data();
  double* const U = w.u.data();
  for (Index i = 0; i < n; ++i) rhs[i] = f0[i] + (ft ? h * d[0] * ft[i] : 0.0);
  lu_solve<N>(lu, n, order, rhs, U);
  const auto stage = [&]<int s>(std::integral_constant<int, s>) {
    constexpr auto row = static_cast<size_t>(s);
    if constexpr (s <= 5) {
      for (Index i = 0; i < n; ++i) argument[i] = x[i];
      detail::accumulate<s>(a[row], 1.0, U, n, argument);
    } else { // stiffly accurate: the arguments of the last two stages add the u before to the argument before
      for (Index i = 0; i < n; ++i) argument[i] += U[(s - 1) * n + i];
    }
    f(t + c[row] * h, static_cast<const double*>(argument), rhs);
    if (s <= 4 && ft)
      for (Index i = 0; i < n; ++i) rhs[i] += h * d[row] * ft[i];
    detail::accumulate<s>(C[row], rate, U, n, rhs);
    lu_solve<N>(lu, n, order, rhs, U + s * n);
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

// Dense output of the attempt just made: D is n x 5, column k belongs to theta^k.
inline void rosenbrock_dense(const double* x, const RosenbrockWorkspace& w, Eigen::Ref<Matrix> D) {
  const Index n = w.x1.size();
  for (Index i = 0; i < n; ++i) {
    double k[3] = {0.0, 0.0, 0.0};
    for (int j = 0; j < rodas5p::stages; ++j) {
      const double u = w.u(i, j);
      for (size_t l = 0; l < 3; ++l) k[l] += rodas5p::H[l][static_cast<size_t>(j)] * u;
    }
    // (1 - s) x + s (x1 + (1 - s)(k0 + s (k1 + s k2))), expanded in s
    D(i, 0) = x[i];
    D(i, 1) = w.x1[i] - x[i] + k[0];
    D(i, 2) = k[1] - k[0];
    D(i, 3) = k[2] - k[1];
    D(i, 4) = -k[2];
  }
}

} // namespace stickslip
