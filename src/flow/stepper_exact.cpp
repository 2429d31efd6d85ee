// The flow of an affine regime: its Taylor series, in which guards are polynomials as well.
#include "core/tolerances.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip {

namespace {

constexpr double short_time = 1e-3; // of the machine's shortest time constant
constexpr double greatest_term = 1e250;
constexpr double far = 1e9;     // relative to the size of a state: no information about its drive
constexpr double beyond = 1e-6; // looks this much farther than the first root
constexpr double as_seen =
    1e3; // relative to the values so far of a gap or velocity: beyond this its digits would be lost

} // namespace

// Taylor coefficients of the varying signals; returns the highest degree. A series that exceeds the range of floating
// point is cut, and `fastest` raised until the remainder is negligible in a step of 3/fastest.
Index Stepper::signal_taylor(double t, double& fastest) {
  Index degree = 0, cut = exact_columns;
  for (Index k = 0; k < varying.size(); ++k) {
    std::array<double, exact_columns> c{};
    taylor(sys.signals[varying[k]], t, static_cast<int>(exact_columns), c.data());
    const auto row = varying[k];
    for (Index j = 0; j < exact_columns; ++j) {
      if (!(std::abs(c[j]) <= greatest_term)) cut = std::min(cut, j);
      signal_series(row, j) = c[j];
      if (c[j] != 0.0) degree = std::max(degree, j);
    }
    for (const Harmonic& h : pieces[k].piece->harmonics) fastest = std::max(fastest, std::abs(h.omega));
  }
  if (degree >= cut) {
    signal_series.middleCols(cut, degree + 1 - cut).setZero();
    degree = cut - 1;
    const auto n = static_cast<double>(cut); // the terms of a harmonic: (omega h)^n / n!
    fastest =
        std::max(fastest, 3.0 * fastest / std::exp2((std::lgamma(n + 1.0) / std::numbers::ln2 - 60.0) / n));
  }
  return degree;
}

// A regime stays where it is as long as the stepper lives.
FlowPlan& Stepper::plan_of(const Regime& r) {
  if (plan != nullptr && plan->regime == &r) return *plan;
  for (const auto& known : plans)
    if (known->regime == &r) return *(plan = known.get());
  if (plans.size() >= 256) plans.clear();
  return *(plan = plans.emplace_back(std::make_unique<FlowPlan>(r)).get());
}

// Sizes in which the series of the flow is judged, each in the unit of its state.
void Stepper::set_scale(const Regime& r, const State& state) {
  if (!size_by_drives(r.Ax, state)) return;
  for (Index i = 0; i < sys.nx; ++i) scale.set(i, sizes(i));
}

// Sizes of the states so far. States that have not moved yet take their size from their drives: too small a size would
// require steps whose powers underflow. States without a drive stay at zero, and their size does not matter. True if
// sizes have changed.
bool Stepper::size_by_drives(const Matrix& A, const State& state) {
  const Index nx = sys.nx;
  const double time = short_time * state.time_scale;
  if (A.data() == sized_by && time == sized_time && state.nominal == sized_from) return false;
  sized_by = A.data(), sized_time = time, sized_from = state.nominal;
  sizes = state.nominal;
  bool grows = true;
  for (Index pass = 0; grows && pass < std::min<Index>(nx, 16); ++pass) {
    grows = false;
    for (Index i = 0; i < nx; ++i) {
      double driven = 0.0;
      for (Index j = 0; j < nx; ++j) driven += std::abs(A(i, j)) * sizes(j);
      driven *= time;
      if (sizes(i) > 0.0 ? driven > far * sizes(i) : driven > 0.0) sizes(i) = driven, grows = true;
    }
  }
  for (double& size : sizes)
    if (!(size > 0.0)) size = 1.0;
  return true;
}

// Coefficients of powers of the time itself, where these come to an end; returns the degree.
Index Stepper::ending_series(const Regime& r, const State& state, Index signal_degree) {
  const Index nx = sys.nx, ns = sys.ns();
  const Index most = std::min<Index>(plan->index + signal_degree, exact_columns - 1);
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
        if (const double f = signal_series(j, k); f != 0.0)
          for (Index i = 0; i < nx; ++i) next[i] += r.As(i, j) * f;
    if (k > 0)
      for (Index i = 0; i < nx; ++i) next[i] /= static_cast<double>(k + 1);
  }
  Index degree = most;
  while (degree > 0 && (C.col(degree).array() == 0.0).all()) --degree;
  return degree;
}

// Guards are linear forms, so they are polynomials too: of the state, whose `state_columns` coefficients are
// in C, and of the signals, whose powers of time become those of time / h.
void Stepper::guard_rows(const Regime& r, Index columns, Index state_columns, Index signal_degree, double h) {
  const Index nx = sys.nx, ns = sys.ns(), ng = r.guards.size();
  if (guard_series.rows() < ng || guard_series.cols() < columns)
    guard_series.resize(std::max(ng, guard_series.rows()), std::max(exact_columns, guard_series.cols()));
  for (Index k = 0; k < ng; ++k) {
    double* const row = guard_series.row(k).data();
    std::fill_n(row, columns, 0.0);
    for (Index i = 0; i < nx; ++i) {
      const double g = r.Gx(k, i);
      if (g == 0.0) continue;
      const double* const c = C.data() + i;
      for (Index j = 0; j < state_columns; ++j) row[j] += g * c[j * nx];
    }
    for (Index i = 0; i < ns; ++i) {
      const double g = r.Gs(k, i);
      if (g == 0.0) continue;
      double power = g;
      for (Index j = 0; j <= signal_degree; ++j, power *= h) row[j] += power * signal_series(i, j);
    }
  }
}

// A little more than the time until the first guard of a polynomial motion fires: how far to look. Infinite
// where none ever does. In powers of time.
double Stepper::horizon_of_roots(const Regime& r, Index degree, const State& state) const {
  const double t = std::abs(state.base_t);
  // Roots within the rounding error of the start do not count.
  const double least = short_time * state.time_scale + tolerance::entry * t;
  double earliest = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < r.guards.size(); ++k) {
    const double* const c = guard_series.row(k).data();
    Index n = degree;
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
      root = std::max(outlook(state), t);
    }
    if (root > 0.0) earliest = std::min(earliest, root * (1.0 + beyond));
  }
  return std::max(earliest, least);
}

// Part of a step in which gaps and velocities stay within a range of their values so far: beyond it their terms become
// so large that their rounding errors exceed the values at the start.
double Stepper::part_in_sight(const Regime& r, const State& state, Index degree, double h) const {
  double part = 1.0;
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (r.guards[k].traits().first_by_forces < 1) continue; // neither a gap nor a velocity
    const double size = as_seen * size_of(*r.guard_terms[k].form, state.nominal, s.data());
    if (!(size > 0.0)) continue;
    for (Index j = 1; j <= degree; ++j)
      if (const double term = std::abs(guard_series(k, j)); term > size && term * std::pow(part, j) > size)
        part = std::pow(size / term, 1.0 / static_cast<double>(j));
  }
  const double least =
      tolerance::entry * std::abs(state.base_t); // the remainder must exceed the rounding error of t
  return part * h < least ? std::min(1.0, least / h) : part;
}

void Stepper::exact(const Regime& r, State& state, double horizon, Step& step) {
  step.kind = FlowKind::exact;
  const FlowPlan& form = plan_of(r);
  double reach = std::min(horizon, options.max_step);
  if (form.swings && varying.empty() && take_swing(r, state, reach, step)) return;
  double fastest = 0.0;
  const Index signal_degree = varying.empty() ? 0 : signal_taylor(state.base_t, fastest);
  const Index ng = r.guards.size();
  Index columns = 0;
  if (form.index > 0 && fastest == 0.0) {
    // The motion is a polynomial for all times: the step covers all roots of guards.
    step.columns = ending_series(r, state, signal_degree) + 1;
    columns = std::max(step.columns, signal_degree + 1);
    guard_rows(r, columns, step.columns, signal_degree, 1.0);
    const double t = std::abs(state.base_t);
    reach = std::min(reach, horizon_of_roots(r, columns - 1, state));
    if (!std::isfinite(reach)) reach = std::max(outlook(state), t);
    step.h = reach;
    double power = reach;
    for (Index k = 1; k < columns; ++k, power *= reach) {
      if (k < step.columns) C.col(k) *= power;
      for (Index j = 0; j < ng; ++j) guard_series(j, k) *= power;
    }
  } else {
    // Guards see the signals even where the state does not: a harmonic's own series must have converged as
    // well.
    if (fastest > 0.0) reach = std::min(reach, 3.0 / fastest);
    set_scale(r, state);
    const double near = std::isfinite(reach) ? reach : outlook(state);
    if (!take_slow_subspace(r, state, signal_degree, reach, step))
      step.columns = affine_taylor(r.Ax, r.As, signal_series.leftCols(signal_degree + 1), state.base_x.data(),
                                   near, scale, C, step.h) +
                     1;
    columns = std::max(step.columns, signal_degree + 1);
    guard_rows(r, columns, step.columns, signal_degree, step.h);
  }
  if (ng == 0) return;
  if (const double part = part_in_sight(r, state, columns - 1, step.h); part < 1.0) {
    step.h *= part;
    double power = part;
    for (Index k = 1; k < columns; ++k, power *= part) {
      if (k < step.columns) C.col(k) *= power;
      guard_series.col(k).head(ng) *= power;
    }
  }
  if (!find_crossings(r, state, step, columns - 1)) return;
  collect(r, state, step);
}

} // namespace stickslip
