// The flow of an affine regime: its Taylor series, in which guards are polynomials as well.
#include "simulate/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

// Taylor coefficients of the signals that vary; returns the highest degree.
Index Stepper::signal_taylor(double t, double& fastest) {
  Index degree = 0;
  for (std::size_t k = 0; k < varying.size(); ++k) {
    std::array<double, exact_columns> c{};
    taylor(sys.signals[varying[k]], t, static_cast<int>(exact_columns), c.data());
    const auto row = static_cast<Index>(varying[k]);
    for (Index j = 0; j < exact_columns; ++j) {
      signal_series(row, j) = c[static_cast<std::size_t>(j)];
      if (c[static_cast<std::size_t>(j)] != 0.0) degree = std::max(degree, j);
    }
    for (const Harmonic& h : pieces[k]->harmonics) fastest = std::max(fastest, std::abs(h.omega));
  }
  return degree;
}

void Stepper::exact(const Regime& r, State& state, double horizon, Step& step) {
  step.kind = FlowKind::exact;
  const Index nx = sys.nx, ns = sys.ns();
  double fastest = 0.0;
  const Index signal_degree = signal_taylor(state.base_t, fastest);
  // A series that ends (free flight, sticking) would hold for ever: look as far as guards can be expected to
  // fire.
  double reach = std::min(std::isfinite(horizon) ? horizon : 1e3 * sys.time_scale, options.max_step);
  // Guards see the signals even where the state does not: a harmonic's own series must have converged as
  // well.
  if (fastest > 0.0) reach = std::min(reach, 3.0 / fastest);
  const double largest = state.nominal.maxCoeff();
  for (Index i = 0; i < nx; ++i) scale(i) = std::max(state.nominal(i), largest > 0.0 ? 1e-12 * largest : 1.0);
  if (state.nominal.minCoeff() < 1e-9 * largest) {
    // States that have not moved yet take their size from what moves them: a scale far too small would call
    // for steps whose powers underflow.
    for (Index pass = 0; pass < std::min<Index>(nx, 16); ++pass)
      for (Index i = 0; i < nx; ++i) {
        double reached = 0.0;
        for (Index j = 0; j < nx; ++j) reached += std::abs(r.Ax(i, j)) * scale(j);
        scale(i) = std::max(scale(i), std::min(1e-3 * sys.time_scale * reached, largest));
      }
  }
  step.columns = affine_taylor(r.Ax, r.As, signal_series.leftCols(signal_degree + 1), state.base_x.data(),
                               reach, scale.data(), C, step.h) +
                 1;
  const Index ng = static_cast<Index>(r.guards.size());
  if (ng == 0) return;
  if (rounding.size() < ng) rounding.resize(ng);
  if (state.after_transition) {
    // Just after a transition forces balance to rounding, which must not decide where a velocity goes: the
    // guard's slope is known no better than the terms of the acceleration it is made of, and than the series
    // that found the event; worse where friction and normal forces were solved from each other.
    bool sized = false;
    for (Index k = 0; k < ng; ++k) {
      rounding(k) = 0.0;
      const GuardKind kind = r.guards[static_cast<std::size_t>(k)].kind;
      if (kind != GuardKind::slip_ends && kind != GuardKind::kink && kind != GuardKind::limit) continue;
      if (!sized)
        for (Index i = 0; i < nx; ++i) {
          double sum = 0.0;
          for (Index j = 0; j < nx; ++j) sum += std::abs(r.Ax(i, j) * state.base_x(j));
          for (Index j = 0; j < ns; ++j) sum += std::abs(r.As(i, j) * signal_series(j, 0));
          work(i) = sum;
        }
      sized = true;
      double sum = 0.0;
      for (Index i = 0; i < nx; ++i) sum += std::abs(r.Gx(k, i)) * work(i);
      rounding(k) = (r.coupled ? 3e-13 : 1e-13) * step.h * sum;
    }
  } else {
    rounding.setZero();
  }
  // Guards are linear forms, so they are polynomials too.
  const Index columns = std::max(step.columns, signal_degree + 1);
  if (guard_series.rows() < ng || guard_series.cols() < columns)
    guard_series.resize(std::max(ng, guard_series.rows()), std::max(exact_columns, guard_series.cols()));
  for (Index k = 0; k < ng; ++k) {
    double* const row = guard_series.row(k).data();
    std::fill_n(row, columns, 0.0);
    for (Index i = 0; i < nx; ++i) {
      const double g = r.Gx(k, i);
      if (g == 0.0) continue;
      const double* const c = C.data() + i;
      for (Index j = 0; j < step.columns; ++j) row[j] += g * c[j * nx];
    }
    for (Index i = 0; i < ns; ++i) {
      const double g = r.Gs(k, i);
      if (g == 0.0) continue;
      double power = g;
      for (Index j = 0; j <= signal_degree; ++j, power *= step.h) row[j] += power * signal_series(i, j);
    }
  }
  if (find_crossings(r, state, step, columns - 1)) collect(r, state, step);
}

} // namespace stickslip
