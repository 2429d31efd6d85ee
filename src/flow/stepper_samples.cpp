// Guards of a numerical step as polynomials: linear ones from the dense output, all others through samples.
#include "core/linalg.hpp"
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"
#include "dynamics/tangent.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

constexpr double clear = 1e-7; // ten times the error of the polynomial through samples

constexpr Index sample_degree = 8;

// Chebyshev points of [0, 1] with both ends, and the matrix from values there to coefficients of theta^k.
struct SamplePoints {
  std::array<double, sample_degree + 1> theta;
  Eigen::Matrix<double, sample_degree + 1, sample_degree + 1> to_coefficients;
  SamplePoints() {
    Matrix powers(sample_degree + 1, sample_degree + 1);
    for (int i = 0; i <= sample_degree; ++i) {
      const double th = 0.5 * (1.0 - std::cos(3.14159265358979323846 * i / sample_degree));
      theta[i] = i == 0 ? 0.0 : i == sample_degree ? 1.0 : th;
      double power = 1.0;
      for (int k = 0; k <= sample_degree; ++k, power *= theta[i]) powers(i, k) = power;
    }
    to_coefficients = linalg::inverse(powers);
  }
};

const SamplePoints& sample_points() {
  static const SamplePoints points;
  return points;
}

constexpr double follows = 1e3;   // tolerances by which the dense form may miss the motion in a whole step
constexpr double resolved = 1e-4; // of the greatest value in the step

} // namespace

// Powers of theta of all signals that linear guards see; returns the highest degree.
Index Stepper::signal_terms(const Regime& r, double t, double h) {
  // Steps are at most 1.5 / omega long, and 1.5^20 / 20! is below rounding.
  constexpr Index harmonic_degree = 20;
  Index degree = 0;
  for (Index k = 0; k < varying.size(); ++k) {
    const auto i = varying[k];
    bool seen = false;
    for (const GuardTerms& g : r.guard_terms) seen = seen || (g.linear() && g.form->s(i) != 0.0);
    if (!seen) continue;
    const Index highest = pieces[k].piece->harmonics.empty() ? signal_max_degree : harmonic_degree;
    std::array<double, harmonic_degree + 1> c{};
    taylor(sys.signals[varying[k]], t, static_cast<int>(highest) + 1, c.data());
    double power = 1.0;
    for (Index j = 0; j <= highest; ++j, power *= h) {
      signal_series(i, j) = c[j] * power;
      if (signal_series(i, j) != 0.0) degree = std::max(degree, j);
    }
    for (Index j = highest + 1; j <= harmonic_degree; ++j) signal_series(i, j) = 0.0;
  }
  return degree;
}

// A crossing that the polynomial through samples makes by less than its own error, or that ends the run: asks the guard
// itself, and moves the crossing to where the guard is zero or takes it back.
void Stepper::confirm(const Regime& r, Index k, const State& state, const Step& step, Index degree) {
  std::array<double, guard_max_degree + 1> c{};
  double size = 0.0;
  for (Index j = 0; j <= degree; ++j) {
    c[j] = guard_series(k, j);
    size += std::abs(c[j]);
  }
  const Extremes e = extremes(c.data(), static_cast<int>(degree));
  if (e.maximum > clear * size && r.guards[k].kind != GuardKind::load_negative) return;
  auto g = [&](double theta) { return guard_at(r, k, state, step, theta) - shift[k]; };
  double top = e.at_maximum, most = g(top);
  constexpr double w = 1e-3;            // half the width of the parabola, in the step's length
  if (top - w > 0.0 && top + w < 1.0) { // its own maximum, from a parabola
    const double left = g(top - w), right = g(top + w), bend = left - 2.0 * most + right;
    if (bend < 0.0) {
      const double better = top + std::clamp(0.5 * w * (left - right) / bend, -w, w);
      if (const double value = g(better); value > most) most = value, top = better;
    }
  }
  if (most <= tolerance::least_size * size) {
    crossing[k] = 2.0;
    return;
  }
  const double low = std::max(0.0, std::min(crossing[k], top) - 0.1);
  if (g(low) < 0.0) crossing[k] = refine_root(g, low, top);
}

// True if guard k may be positive between its samples: the last coefficients of its Chebyshev polynomial are not small,
// and the greatest sample is not farther below zero than their sum.
bool Stepper::hides_crossing(Index k) const {
  static_assert(sample_degree == 8);
  constexpr double overshoots = 10.0; // overshoot between samples, relative to these coefficients
  const double* const c = guard_series.row(k).data();
  const double eighth = c[8] / 32768.0;
  const double seventh = (c[7] + 131072.0 * eighth) / 8192.0;
  const double sixth = (c[6] - 212992.0 * eighth + 28672.0 * seventh) / 2048.0;
  const double unknown = std::abs(sixth) + std::abs(seventh) + std::abs(eighth);
  const auto values = sampled.row(k);
  if (unknown <= resolved * std::abs(values(0))) return false;
  const double most =
      std::max(values.cwiseAbs().maxCoeff(), tolerance::cancelled * force.cwiseAbs().maxCoeff());
  return unknown > resolved * most && values.maxCoeff() > -overshoots * unknown;
}

// True if the dense form of a step does not follow the motion between its ends, which the error estimate does not show:
// x' at this point is in `work`.
bool Stepper::misses_motion(const Step& step, double theta) const {
  for (Index i = 0; i < sys.nx; ++i) {
    double slope = 0.0;
    for (Index k = step.columns; k-- > 1;) slope = slope * theta + static_cast<double>(k) * C(i, k);
    const double size = atol(i) + options.rtol * std::abs(theta_column(i));
    if (!(std::abs(slope - step.h * work(i)) <= follows * size)) return true;
  }
  return false;
}

void Stepper::size_formulas(const Regime& r, const State& state) {
  if (!r.modes.sides.empty())
    condition_sizes = scratch.tangent(sys).condition_sizes(state.nominal, state.time_scale);
  if (sys.smooth && !sys.smooth->loads.empty())
    load_sizes = scratch.tangent(sys).load_sizes(state.nominal, state.time_scale);
}

// A body that rotates in flight may open and close a gap within a step that its parabola does not limit: true if the
// polynomials through samples represent these guards between the samples.
bool Stepper::resolves_guards(const Regime& r, const State& state, const Step& step, Index degree) {
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (is_polynomial(r, k)) continue;
    if (!sampled.row(k).allFinite()) return false; // deep in an overlap, say, where a gap has no meaning
    if (r.guards[k].traits().value == GuardValue::force && hides_crossing(k)) return false;
  }
  if (!sys.smooth) return true;
  size_formulas(r, state);
  for (const double theta : {0.42, 0.83}) {
    polynomial::values(C.data(), C.rows(), step.columns, theta, theta_column.data());
    rhs(r, state.base_t + theta * step.h, theta_column.data(), work.data());
    if (misses_motion(step, theta)) return false;
    guard_values(sys, r, state.base_t + theta * step.h, theta_column.data(), s.data(), force.data(),
                 guards.data(), scratch);
    for (Index k = 0; k < r.guards.size(); ++k) {
      const Guard& g = r.guards[k];
      double whole = 0.0;
      if (g.kind == GuardKind::closes)
        whole = gap_size(sys.contacts[g.contact], state.nominal, s.data());
      else if (g.kind == GuardKind::condition)
        whole = condition_sizes(g.condition);
      else if (g.kind == GuardKind::load_negative)
        whole = load_sizes(g.friction);
      else
        continue;
      const double value = polynomial::value(guard_series.row(k).data(), static_cast<int>(degree), theta);
      const double most = std::max(sampled.row(k).cwiseAbs().maxCoeff(), tolerance::cancelled * whole);
      if (!(std::abs(value - guards(k)) <= resolved * most)) return false;
    }
  }
  return true;
}

double Stepper::guard_at(const Regime& r, Index k, const State& state, const Step& step, double theta) {
  polynomial::values(C.data(), C.rows(), step.columns, theta, theta_column.data());
  rhs(r, state.base_t + theta * step.h, theta_column.data(), work.data());
  if (guards.size() < r.guards.size()) guards.resize(r.guards.size());
  guard_values(sys, r, state.base_t + theta * step.h, theta_column.data(), s.data(), force.data(),
               guards.data(), scratch);
  return guards(k);
}

// Rows that turn with the motion make no polynomials.
bool Stepper::is_polynomial(const Regime& r, Index guard) const {
  return !sys.smooth && r.guard_terms[guard].linear();
}

// True if the polynomials represent guards that are not polynomials themselves.
bool Stepper::guard_polynomials(const Regime& r, const State& state, const Step& step, Index& degree) {
  const Index ng = r.guards.size();
  const Index dense_degree = step.columns - 1;
  bool all_linear = true, forces = false;
  for (Index k = 0; k < ng; ++k) {
    if (is_polynomial(r, k)) continue;
    all_linear = false;
    const GuardKind kind = r.guards[k].kind;
    forces = forces ||
             (kind != GuardKind::branch && kind != GuardKind::condition && kind != GuardKind::load_negative);
  }
  degree = std::max(dense_degree, varying.empty() ? 0 : signal_terms(r, state.base_t, step.h));
  if (!all_linear) degree = std::max(degree, sample_degree);
  if (guard_series.rows() < ng || guard_series.cols() <= degree)
    guard_series.resize(std::max(ng, guard_series.rows()), exact_columns);
  guard_series.topLeftCorner(ng, degree + 1).setZero();
  if (!all_linear) {
    const SamplePoints& points = sample_points();
    sampled.resize(ng, sample_degree + 1);
    guards.resize(std::max<Index>(ng, guards.size()));
    for (Index i = 0; i <= sample_degree; ++i) {
      const double theta = points.theta[i];
      polynomial::values(C.data(), C.rows(), step.columns, theta, theta_column.data());
      if (forces)
        rhs(r, state.base_t + theta * step.h, theta_column.data(), work.data());
      else
        signals_at(state.base_t + theta * step.h, s.data());
      guard_values(sys, r, state.base_t + theta * step.h, theta_column.data(), s.data(), force.data(),
                   guards.data(), scratch);
      sampled.col(i) = guards.head(ng);
    }
    guard_series.topLeftCorner(ng, sample_degree + 1).noalias() =
        sampled.lazyProduct(points.to_coefficients.transpose());
  }
  for (Index k = 0; k < ng; ++k) {
    if (!is_polynomial(r, k)) continue;
    const Form* const form = r.guard_terms[k].form;
    const double sign = r.guard_terms[k].sign;
    for (Index j = 0; j <= degree; ++j) guard_series(k, j) = 0.0;
    for (Index i = 0; i < sys.nx; ++i)
      if (form->x(i) != 0.0)
        for (Index j = 0; j <= dense_degree; ++j) guard_series(k, j) += sign * form->x(i) * C(i, j);
    Index next = 0;
    for (Index i = 0; i < sys.ns(); ++i) {
      const bool varies = next < varying.size() && varying[next] == i;
      next += varies;
      if (form->s(i) == 0.0) continue;
      if (varies)
        for (Index j = 0; j <= degree; ++j) guard_series(k, j) += sign * form->s(i) * signal_series(i, j);
      else
        guard_series(k, 0) += sign * form->s(i) * s(i);
    }
  }
  return !all_linear;
}

} // namespace stickslip
