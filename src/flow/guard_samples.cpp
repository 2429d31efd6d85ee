#include "flow/guard_samples.hpp"

#include "core/linalg.hpp"
#include "core/polynomial.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

constexpr Index sample_degree = 8;

// Chebyshev points of [0, 1] with both ends, and the matrix from values there to coefficients of theta^k.
struct SamplePoints {
  std::array<double, sample_degree + 1> theta;
  Eigen::Matrix<double, sample_degree + 1, sample_degree + 1> to_coefficients;
  SamplePoints() {
    Matrix powers(sample_degree + 1, sample_degree + 1);
    for (int i = 0; i <= sample_degree; ++i) {
      const double th = 0.5 * (1.0 - std::cos(std::numbers::pi * i / sample_degree));
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

} // namespace

GuardSamples::GuardSamples(const System& system, RightHandSide& right_hand_side, GuardPolynomials& of,
                           const Matrix& coefficients)
    : sys(system), rhs(right_hand_side), series(of), C(coefficients), x(Vector::Zero(system.nx)), xdot(x) {}

// Rows that turn with the motion make no polynomials.
bool GuardSamples::is_polynomial(const Regime& r, Index guard) const {
  return !sys.smooth && r.guard_terms[guard].linear();
}

void GuardSamples::evaluate_at(double t, const double* at) {
  rhs(t, at, xdot.data());
  rhs.guards(t, at, values.data());
}

void GuardSamples::evaluate(const State& state, const Step& step, double theta) {
  polynomial::values(C.data(), C.rows(), step.columns, theta, x.data());
  evaluate_at(state.base_t + theta * step.h, x.data());
}

void GuardSamples::sample(const Regime& r, const State& state, const Step& step, bool forces) {
  const SamplePoints& points = sample_points();
  sampled.resize(r.guards.size(), sample_degree + 1);
  for (Index i = 0; i <= sample_degree; ++i) {
    const double theta = points.theta[i], t = state.base_t + theta * step.h;
    polynomial::values(C.data(), C.rows(), step.columns, theta, x.data());
    if (forces)
      rhs(t, x.data(), xdot.data());
    else
      rhs.signals.move_to(t);
    rhs.guards(t, x.data(), values.data());
    sampled.col(i) = values.head(r.guards.size());
  }
  series.fit(sampled, points.to_coefficients);
}

bool GuardSamples::expand(const Regime& r, const State& state, const Step& step) {
  bool any = false, forces = false;
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (is_polynomial(r, k)) continue;
    any = true;
    const GuardKind kind = r.guards[k].kind;
    forces = forces ||
             (kind != GuardKind::branch && kind != GuardKind::condition && kind != GuardKind::load_negative);
  }
  Index degree = step.columns - 1;
  if (!rhs.signals.constant())
    degree = std::max(degree, rhs.signals.expand_seen(r.guard_terms, state.base_t, step.h));
  if (any) degree = std::max(degree, sample_degree);
  series.clear(r.guards.size(), degree);
  if (values.size() < r.guards.size()) values.resize(r.guards.size());
  if (any) sample(r, state, step, forces);
  for (Index k = 0; k < r.guards.size(); ++k)
    if (is_polynomial(r, k)) series.set_form(k, r.guard_terms[k], C, step.columns, rhs.signals);
  return any;
}

// The last coefficients of its polynomial, in those of Chebyshev, are not small, and the greatest sample is no farther
// below zero than these may hide.
bool GuardSamples::hides_crossing(Index guard) const {
  static_assert(sample_degree == 8);
  constexpr double overshoots = 10.0; // overshoot between samples, relative to these coefficients
  const double* const c = series.row(guard);
  const double eighth = c[8] / 32768.0;
  const double seventh = (c[7] + 131072.0 * eighth) / 8192.0;
  const double sixth = (c[6] - 212992.0 * eighth + 28672.0 * seventh) / 2048.0;
  const double unknown = std::abs(sixth) + std::abs(seventh) + std::abs(eighth);
  const auto shown = sampled.row(guard);
  if (unknown <= tolerance::resolved * std::abs(shown(0))) return false;
  const double most = std::max(greatest(guard), tolerance::cancelled * rhs.force.cwiseAbs().maxCoeff());
  return unknown > tolerance::resolved * most && shown.maxCoeff() > -overshoots * unknown;
}

bool GuardSamples::show_all(const Regime& r) const {
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (is_polynomial(r, k)) continue;
    if (!sampled.row(k).allFinite()) return false; // deep in an overlap, say, where a gap has no meaning
    if (r.guards[k].traits().value == GuardValue::force && hides_crossing(k)) return false;
  }
  return true;
}

bool GuardSamples::passes_another(const Regime& r, const State& state, Index event) const {
  for (Index k = 0; k < r.guards.size(); ++k) {
    if (k == event || is_polynomial(r, k) || !(values(k) > 0.0)) continue;
    const double size = guard_size(sys, r, r.guards[k], state.base_t, state.base_x.data(),
                                   rhs.signals.start.data(), rhs.force.data(), state.nominal);
    const double near = std::max(tolerance::located * greatest(k), 2.0 * tolerance::residual * size);
    if (sampled(k, 0) <= near && values(k) > near) return true;
  }
  return false;
}

} // namespace stickslip
