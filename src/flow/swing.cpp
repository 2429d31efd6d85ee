#include "flow/swing.hpp"

#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"
#include "flow/crossings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip {

namespace {} // namespace

Swing::Swing(const System& system) : sys(system), start(Vector::Zero(system.nx)), work(start) {}

Swing::Rates Swing::rates_at_start(const FlowPlan& plan, const double* x, const Vector& s) const {
  const Regime& r = *plan.regime;
  const Index i1 = plan.first, i2 = plan.second;
  double r1 = 0.0, r2 = 0.0, size1 = 0.0, size2 = 0.0;
  const auto add = [&](double a1, double a2, double value) {
    r1 += a1 * value, r2 += a2 * value;
    size1 += std::abs(a1 * value), size2 += std::abs(a2 * value);
  };
  for (Index j = 0; j < sys.nx; ++j) add(r.Ax(i1, j), r.Ax(i2, j), x[j]);
  for (Index j = 0; j < sys.ns(); ++j) add(r.As(i1, j), r.As(i2, j), s(j));
  const double* const B = plan.oscillation.B;
  return {{r1, r2}, {B[0] * r1 + B[2] * r2, B[1] * r1 + B[3] * r2}, {size1, size2}};
}

// A period. A swing that would leave the numbers on its way, perhaps to come back, is followed as far as they reach.
double Swing::reach(const Rates& at, double limit) const {
  const double inverse_w = oscillation.inverse_w;
  limit = std::min(limit, 2.0 * std::numbers::pi * inverse_w);
  const double rates = std::abs(at.r[0]) + std::abs(at.r[1]), bends = std::abs(at.b[0]) + std::abs(at.b[1]);
  if ((rates + bends * inverse_w) * inverse_w < tolerance::largest_state) return limit;
  return std::min(
      {limit, 0.5 * tolerance::largest_state / rates, std::sqrt(tolerance::largest_state / bends)});
}

bool Swing::take(const FlowPlan& plan, const Vector& s, const State& state, double limit, Step& step) {
  const Regime& r = *plan.regime;
  const Index nx = sys.nx, ns = sys.ns(), i1 = plan.first, i2 = plan.second;
  const Oscillation& o = oscillation = plan.oscillation;
  const double* const x = state.base_x.data();
  const Rates at_start = rates_at_start(plan, x, s);
  const double r1 = at_start.r[0], r2 = at_start.r[1], b1 = at_start.b[0], b2 = at_start.b[1];
  limit = reach(at_start, limit);
  const double together = same_instant(state);
  double earliest = std::numeric_limits<double>::infinity();
  near = -1.0;
  times.resize(r.guards.size());
  for (Index k = 0; k < r.guards.size(); ++k) {
    double g0 = 0.0, size = 0.0;
    for (Index j = 0; j < nx; ++j) g0 += r.Gx(k, j) * x[j], size += std::abs(r.Gx(k, j) * x[j]);
    for (Index j = 0; j < ns; ++j) g0 += r.Gs(k, j) * s(j), size += std::abs(r.Gs(k, j) * s(j));
    const double w1 = r.Gx(k, i1), w2 = r.Gx(k, i2);
    const double alpha = w1 * r1 + w2 * r2, beta = w1 * b1 + w2 * b2;
    const double whole = size + (std::abs(alpha) + std::abs(beta) * o.inverse_w) * o.inverse_w;
    if (!(g0 < -tolerance::matrix_zero * whole)) {
      // A velocity that the transition left at zero, and that clearly goes away from there.
      const GuardKind kind = r.guards[k].kind;
      if (!state.after_transition || (kind != GuardKind::slip_ends && kind != GuardKind::velocity_reversal))
        return false;
      const Friction& p = sys.friction[r.guards[k].friction];
      if (std::abs(g0) > tolerance::rounding * std::max(whole, velocity_size(p, state.nominal))) return false;
      const double known =
          tolerance::matrix_zero * (std::abs(w1) * at_start.size[0] + std::abs(w2) * at_start.size[1]) +
          tolerance::residual * std::abs(beta) * o.inverse_w +
          tolerance::last_digits * std::abs(state.base_t) * std::abs(beta - o.d * alpha);
      if (!(alpha < -known)) return false;
      g0 = 0.0;
    }
    OscillationWeights at{};
    double found = -1.0;
    times[k] =
        first_rise(o, g0, alpha, beta, guard_noise(whole), std::min(limit, earliest + together), at, found);
    if (times[k] < earliest) earliest = times[k], near = found, weights = at;
  }
  if (earliest <= limit)
    for (Index k = 0; k < r.guards.size(); ++k)
      if (times[k] <= earliest + together) step.fired.push_back(r.guards[k]);
  step.h = std::min(earliest, limit);
  step.columns = 0;
  first = i1, second = i2;
  rate[0] = r1, rate[1] = r2;
  turned[0] = b1, turned[1] = b2;
  start = state.base_x;
  return true;
}

void Swing::state_at(double tau, double* x) const {
  const Oscillation& o = oscillation;
  const double delta = tau - near;
  // At an event the weights are known up to the last correction of its time and the rounding of t.
  OscillationWeights at = weights;
  if (near >= 0.0 && std::abs(delta) * (o.w + std::abs(o.d)) < tolerance::same)
    at.p += delta * at.p_rate, at.q += delta * at.q_rate;
  else
    at = weights_at(o, tau);
  for (Index i = 0; i < sys.nx; ++i) x[i] = start(i);
  x[first] += at.p * rate[0] + at.q * turned[0];
  x[second] += at.p * rate[1] + at.q * turned[1];
}

Step Swing::expand(const Step& whole, double offset, Matrix& C) {
  const Oscillation& o = oscillation;
  const double left = whole.h - offset, reach_of_series = series_reach(o);
  Step part;
  part.kind = whole.kind;
  part.h = left <= reach_of_series ? left : cut_step(reach_of_series);
  state_at(offset, work.data());
  C.leftCols(taylor_columns).setZero();
  C.col(0) = work;
  const double square = o.w * o.w;
  const OscillationWeights at = weights_at(o, offset);
  double x[2], r[2], b[2];
  const Index index[2] = {first, second};
  for (int i = 0; i < 2; ++i) { // B B = -w^2
    x[i] = work(index[i]);
    r[i] = at.p_rate * rate[i] + at.q_rate * turned[i];
    b[i] = at.p_rate * turned[i] - square * at.q_rate * rate[i];
  }
  part.columns =
      1 + series(o, part.h, x, r, b, taylor_columns - 1, sys.nx, {C.data() + index[0], C.data() + index[1]});
  return part;
}

} // namespace stickslip
