#include "flow/taylor_step.hpp"

#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double series_radians = 3.0; // of the fastest harmonic in a step
constexpr double fast_steps = 100.0;   // of the fastest rate: so many are worth a search for slow modes

} // namespace

TaylorStep::TaylorStep(const System& system, const Options& given, StepSignals& of_signals,
                       GuardPolynomials& of_guards, Matrix& coefficients)
    : sys(system), options(given), signals(of_signals), guards(of_guards), C(coefficients), scale(system.nx) {
}

void TaylorStep::take(const FlowPlan& plan, const State& state, double reach, Step& step) {
  const Regime& r = *plan.regime;
  step.kind = FlowKind::exact;
  double fastest = 0.0;
  const Index signal_degree = signals.constant() ? 0 : signals.expand(state.base_t, fastest);
  if (plan.index > 0 && fastest == 0.0) {
    take_ending(plan, state, signal_degree, reach, step);
  } else {
    // Guards see the signals even where the state does not: a harmonic's own series must have converged as
    // well.
    if (fastest > 0.0) reach = std::min(reach, series_radians / fastest);
    if (driven.update(r.Ax, state))
      for (Index i = 0; i < sys.nx; ++i) scale.set(i, driven.values()(i));
    if (!take_slow(plan, state, signal_degree, reach, step)) {
      const double near = std::isfinite(reach) ? reach : tolerance::outlook * state.time_scale;
      step.columns = affine_taylor(r.Ax, r.As, signals.series.leftCols(signal_degree + 1),
                                   state.base_x.data(), near, scale, C, step.h) +
                     1;
    }
    guards.set(r, C, step.columns, signals, signal_degree, step.h);
  }
  if (r.guards.empty()) return;
  if (const double part = part_in_sight(r, state, step.h); part < 1.0) {
    step.h *= part;
    stretch(step, r.guards.size(), part);
  }
}

// In theta / factor in place of theta.
void TaylorStep::stretch(Step& step, Index guard_count, double factor) {
  double power = factor;
  for (Index k = 1; k < step.columns; ++k, power *= factor) C.col(k) *= power;
  guards.stretch(guard_count, factor);
}

// The motion is a polynomial for all times: the step covers all roots of guards.
void TaylorStep::take_ending(const FlowPlan& plan, const State& state, Index signal_degree, double reach,
                             Step& step) {
  const Regime& r = *plan.regime;
  step.columns = expand_ending(plan, state, signal_degree) + 1;
  guards.set(r, C, step.columns, signals, signal_degree, 1.0);
  reach = std::min(reach, horizon_of_roots(plan, state));
  if (!std::isfinite(reach)) reach = std::max(tolerance::outlook * state.time_scale, std::abs(state.base_t));
  step.h = reach;
  stretch(step, r.guards.size(), reach);
}

// Coefficients of powers of the time itself, where these come to an end; returns the degree.
Index TaylorStep::expand_ending(const FlowPlan& plan, const State& state, Index signal_degree) {
  const Regime& r = *plan.regime;
  const Index nx = sys.nx, ns = sys.ns();
  const Index most = std::min<Index>(plan.index + signal_degree, taylor_columns - 1);
  C.col(0) = state.base_x;
  for (Index k = 0; k < most; ++k) {
    const double* const now = C.data() + k * nx;
    double* const next = C.data() + (k + 1) * nx;
    for (Index i = 0; i < nx; ++i) next[i] = 0.0;
    for (Index j = 0; j < nx; ++j)
      if (now[j] != 0.0)
        for (Index i = 0; i < nx; ++i) next[i] += r.Ax(i, j) * now[j];
    if (k <= signal_degree)
      for (Index j = 0; j < ns; ++j)
        if (const double f = signals.series(j, k); f != 0.0)
          for (Index i = 0; i < nx; ++i) next[i] += r.As(i, j) * f;
    if (k > 0)
      for (Index i = 0; i < nx; ++i) next[i] /= static_cast<double>(k + 1);
  }
  Index degree = most;
  while (degree > 0 && (C.col(degree).array() == 0.0).all()) --degree;
  return degree;
}

// A little more than the time until the first guard of a polynomial motion fires: how far to look. Infinite
// where none ever does. In powers of time.
double TaylorStep::horizon_of_roots(const FlowPlan& plan, const State& state) const {
  const double t = std::abs(state.base_t);
  // Roots within the rounding error of the start do not count.
  const double least = tolerance::short_time * state.time_scale + tolerance::matrix_zero * t;
  double earliest = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < plan.regime->guards.size(); ++k) {
    const double* const c = guards.row(k);
    Index n = guards.degree();
    while (n > 0 && c[n] == 0.0) --n;
    double root = 0.0;
    if (n == 1) {
      if (c[0] < 0.0 && c[1] > 0.0) root = -c[0] / c[1];
    } else if (n == 2) {
      const double square = c[1] * c[1] - 4.0 * c[0] * c[2];
      if (!(square > 0.0)) continue;
      const double q = -0.5 * (c[1] + std::copysign(std::sqrt(square), c[1])); // c2 t^2 = q t, q t = c0
      // From below the first positive one, else the later one, behind the way down.
      const double early = std::min(q / c[2], c[0] / q), late = std::max(q / c[2], c[0] / q);
      root = c[0] < 0.0 && early > 0.0 ? early : late;
    } else if (n > 2) { // the root may be there: a fresh look after a while
      root = std::max(tolerance::outlook * state.time_scale, t);
    }
    if (root > 0.0) earliest = std::min(earliest, root * (1.0 + tolerance::negligible));
  }
  return std::max(earliest, least);
}

// Part of a step in which gaps and velocities stay within a range of their values so far: beyond it their terms become
// so large that their rounding errors exceed the values at the start.
double TaylorStep::part_in_sight(const Regime& r, const State& state, double h) const {
  double part = 1.0;
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (r.guards[k].traits().first_by_forces < 1) continue; // neither a gap nor a velocity
    const double size =
        tolerance::as_seen * size_of(*r.guard_terms[k].form, state.nominal, signals.now.data());
    if (!(size > 0.0)) continue;
    const double* const c = guards.row(k);
    for (Index j = 1; j <= guards.degree(); ++j)
      if (const double term = std::abs(c[j]); term > size && term * std::pow(part, j) > size)
        part = std::pow(size / term, 1.0 / static_cast<double>(j));
  }
  const double least =
      tolerance::matrix_zero * std::abs(state.base_t); // the remainder must exceed the rounding error of t
  return part * h < least ? std::min(1.0, least / h) : part;
}

namespace {

// Fast decaying modes show in the trace, at least a tenth of all rates there are.
bool may_settle(const Matrix& A, const Vector& size, double reach) {
  double rate = 0.0, trace = 0.0;
  for (Index i = 0; i < A.rows(); ++i) {
    double sum = 0.0;
    for (Index j = 0; j < A.rows(); ++j) sum += std::abs(A(i, j)) * size(j);
    rate = std::max(rate, sum / size(i));
    trace += A(i, i);
  }
  return -trace * reach > fast_steps && rate * reach > fast_steps;
}

// Response of the fast modes to the drive: Af p_k + Lf S s_k = (k + 1) p_(k+1).
Matrix driven_fast_modes(const SlowSubspace& split, const Matrix& Sf, const MatrixRef& series) {
  const Index columns = series.cols();
  Matrix p = Matrix::Zero(split.Rf.cols(), columns);
  for (Index k = columns - 1; k >= 0; --k) {
    Vector b = -Sf * series.col(k);
    if (k + 1 < columns) b += static_cast<double>(k + 1) * p.col(k + 1);
    p.col(k).noalias() = split.Af_inverse * b;
  }
  return p;
}

// True if the distance `away` of the state from its slow subspace is within the rounding errors of the state, the drive
// and the guards.
bool has_settled(const SlowSubspace& split, const Regime& r, const Matrix& Sf, const Vector& away,
                 const Vector& x, const Vector& size, const Vector& drive) {
  const Vector driven =
      split.Rf.cwiseAbs() * (split.Af_inverse.cwiseAbs() * (Sf.cwiseAbs() * drive.cwiseAbs()));
  // The series that led here is truncated relative to the nominal sizes of the states.
  const Vector known = split.rounding * x.cwiseAbs() + driven + 0x1p-6 * size;
  for (Index i = 0; i < x.size(); ++i)
    if (!(std::abs(away(i)) <= tolerance::polynomial * known(i))) return false;
  for (Index k = 0; k < r.guards.size(); ++k) {
    const double terms = r.Gx.row(k).cwiseAbs().dot(known) + r.Gs.row(k).cwiseAbs().dot(drive.cwiseAbs());
    if (!(std::abs(r.Gx.row(k).dot(away)) <= tolerance::polynomial * terms)) return false;
  }
  return true;
}

} // namespace

// A stiff regime after its fast modes have decayed: the series of the slow modes, with the response of the fast ones to
// the drive, so that steps have the slow time scale. False, without changes, if there are no such modes, or if they
// still move.
bool TaylorStep::take_slow(const FlowPlan& plan, const State& state, Index signal_degree, double reach,
                           Step& step) {
  const Regime& r = *plan.regime;
  if (state.after_transition || !may_settle(r.Ax, scale.size, reach)) return false;
  const MatrixRef series = signals.series.leftCols(signal_degree + 1);
  for (const SlowSubspace& split : plan.slow_subspaces()) {
    if (split.fast_rate * reach < fast_steps) continue;
    const Matrix Sf = split.Lf * r.As, p = driven_fast_modes(split, Sf, series);
    const Vector away = split.Rf * (split.Lf * state.base_x - p.col(0));
    if (!has_settled(split, r, Sf, away, state.base_x, scale.size, series.col(0))) continue;
    // No longer than the time so far: an event within the step is then known as well as the time itself.
    step.h = std::min(reach, std::max(tolerance::outlook * state.time_scale, std::abs(state.base_t)));
    step.columns = signal_degree + 1;
    const Index m = split.Rs.cols();
    Matrix Z(m, taylor_columns);
    Index columns = 0;
    if (m > 0) {
      const Vector z0 = split.Ls * state.base_x;
      const StateSizes size(
          Vector((split.Ls.cwiseAbs() * scale.size).cwiseMax(std::numeric_limits<double>::min())));
      const Matrix Ss = split.Ls * r.As;
      columns = affine_taylor(split.As, Ss, series, z0.data(), step.h, size, Z, step.h) + 1;
      step.columns = std::max(columns, step.columns);
    }
    C.leftCols(step.columns).setZero();
    C.leftCols(columns).noalias() = split.Rs * Z.leftCols(columns);
    double power = 1.0;
    for (Index k = 0; k <= signal_degree; ++k, power *= step.h) C.col(k) += split.Rf * p.col(k) * power;
    hold_ending(plan, state, signal_degree, step);
    step.kind = FlowKind::slow_subspace;
    return true;
  }
  return false;
}

// Removes numerical noise of the projectors: sticking elements rest exactly.
void TaylorStep::hold_ending(const FlowPlan& plan, const State& state, Index signal_degree, Step& step) {
  if (plan.ending.empty()) return;
  const Regime& r = *plan.regime;
  const Index columns = std::min(std::max(step.columns, signal_degree + plan.longest + 1), taylor_columns);
  if (columns > step.columns) C.middleCols(step.columns, columns - step.columns).setZero();
  step.columns = columns;
  for (Index i : plan.ending) C(i, 0) = state.base_x(i);
  double power = step.h;
  for (Index k = 0; k + 1 < columns; ++k, power *= step.h)
    for (Index i : plan.ending) {
      double sum = 0.0;
      for (Index j : plan.ending) sum += r.Ax(i, j) * C(j, k);
      sum *= step.h;
      if (k <= signal_degree) sum += power * r.As.row(i).dot(signals.series.col(k));
      C(i, k + 1) = sum / static_cast<double>(k + 1);
    }
}

} // namespace stickslip
