// One oscillation under constant forces, such as the slip of a block on a spring: closed form, for steps of any length.
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double short_arc = 1e-9; // radians over which the weights are a tangent to the last digit

} // namespace

// False, without changes, if some guard starts so close to zero that its sign requires a series.
bool Stepper::take_swing(const Regime& r, const State& state, double limit, Step& step) {
  const Index nx = sys.nx, ns = sys.ns(), i1 = plan->first, i2 = plan->second;
  const Oscillation& o = plan->oscillation;
  const double* const x = state.base_x.data();
  double r1 = 0.0, r2 = 0.0, size1 = 0.0, size2 = 0.0;
  const auto add = [&](double a1, double a2, double value) {
    r1 += a1 * value, r2 += a2 * value;
    size1 += std::abs(a1 * value), size2 += std::abs(a2 * value);
  };
  for (Index j = 0; j < nx; ++j) add(r.Ax(i1, j), r.Ax(i2, j), x[j]);
  for (Index j = 0; j < ns; ++j) add(r.As(i1, j), r.As(i2, j), s(j));
  const double b1 = o.B[0] * r1 + o.B[2] * r2, b2 = o.B[1] * r1 + o.B[3] * r2;
  limit = std::min(limit, 6.283185307179586 * o.inverse_w);
  // A swing that would leave the numbers on its way, perhaps to come back, is followed as far as they reach.
  if (const double rates = std::abs(r1) + std::abs(r2), bends = std::abs(b1) + std::abs(b2);
      !((rates + bends * o.inverse_w) * o.inverse_w < tolerance::largest_state))
    limit = std::min(
        {limit, 0.5 * tolerance::largest_state / rates, std::sqrt(tolerance::largest_state / bends)});
  const double together = same_instant(state);
  double first = std::numeric_limits<double>::infinity();
  swing.near = -1.0;
  for (Index k = 0; k < r.guards.size(); ++k) {
    double g0 = 0.0, size = 0.0;
    for (Index j = 0; j < nx; ++j) g0 += r.Gx(k, j) * x[j], size += std::abs(r.Gx(k, j) * x[j]);
    for (Index j = 0; j < ns; ++j) g0 += r.Gs(k, j) * s(j), size += std::abs(r.Gs(k, j) * s(j));
    const double w1 = r.Gx(k, i1), w2 = r.Gx(k, i2);
    const double alpha = w1 * r1 + w2 * r2, beta = w1 * b1 + w2 * b2;
    const double whole = size + (std::abs(alpha) + std::abs(beta) * o.inverse_w) * o.inverse_w;
    const GuardKind kind = r.guards[k].kind;
    if (!(g0 < -tolerance::entry * whole)) {
      // A velocity that the transition left at zero, and that clearly goes away from there.
      if (!state.after_transition || (kind != GuardKind::slip_ends && kind != GuardKind::velocity_reversal))
        return false;
      const Friction& p = sys.friction[r.guards[k].friction];
      if (std::abs(g0) > tolerance::rounding * std::max(whole, velocity_size(p, state.nominal))) return false;
      const double known = tolerance::entry * (std::abs(w1) * size1 + std::abs(w2) * size2) +
                           tolerance::rest * std::abs(beta) * o.inverse_w +
                           tolerance::last_digits * std::abs(state.base_t) * std::abs(beta - o.d * alpha);
      if (!(alpha < -known)) return false;
      g0 = 0.0;
    }
    OscillationWeights at{};
    double near = -1.0;
    const double t =
        first_rise(o, g0, alpha, beta, guard_noise(whole), std::min(limit, first + together), at, near);
    crossing[k] = t;
    if (t < first) first = t, swing.near = near, swing.weights = at;
  }
  if (first <= limit) {
    for (Index k = 0; k < r.guards.size(); ++k)
      if (crossing[k] <= first + together) step.fired.push_back(r.guards[k]);
  }
  step.h = std::min(first, limit);
  step.columns = 0;
  swing.oscillation = o;
  swing.first = i1, swing.second = i2;
  swing.rate[0] = r1, swing.rate[1] = r2;
  swing.turned[0] = b1, swing.turned[1] = b2;
  swing.start = state.base_x;
  return true;
}

void Stepper::state_at(const Step& step, double tau, double* x) const {
  const Index nx = sys.nx;
  if (step.columns > 0) {
    const double theta = step.h > 0.0 ? tau / step.h : 0.0;
    return polynomial::values(C.data(), nx, step.columns, theta, x);
  }
  const Oscillation& o = swing.oscillation;
  const double delta = tau - swing.near;
  // At an event the weights are known up to the last correction of its time and the rounding of t.
  OscillationWeights at = swing.weights;
  if (swing.near >= 0.0 && std::abs(delta) * (o.w + std::abs(o.d)) < short_arc)
    at.p += delta * at.p_rate, at.q += delta * at.q_rate;
  else
    at = weights_at(o, tau);
  for (Index i = 0; i < nx; ++i) x[i] = swing.start(i);
  x[swing.first] += at.p * swing.rate[0] + at.q * swing.turned[0];
  x[swing.second] += at.p * swing.rate[1] + at.q * swing.turned[1];
}

Step Stepper::expand(const Step& whole, double offset) {
  const Oscillation& o = swing.oscillation;
  const double left = whole.h - offset, reach = series_reach(o);
  Step part;
  part.kind = whole.kind;
  part.h = left <= reach ? left : cut_step(reach);
  state_at(whole, offset, work.data());
  C.leftCols(exact_columns).setZero();
  C.col(0) = work.head(sys.nx);
  const double square = o.w * o.w;
  const OscillationWeights at = weights_at(o, offset);
  double start[2], rate[2], turned[2];
  const Index index[2] = {swing.first, swing.second};
  for (int i = 0; i < 2; ++i) { // B B = -w^2
    start[i] = work(index[i]);
    rate[i] = at.p_rate * swing.rate[i] + at.q_rate * swing.turned[i];
    turned[i] = at.p_rate * swing.turned[i] - square * at.q_rate * swing.rate[i];
  }
  part.columns = 1 + series(o, part.h, start, rate, turned, exact_columns - 1, sys.nx,
                            {C.data() + index[0], C.data() + index[1]});
  return part;
}

} // namespace stickslip
