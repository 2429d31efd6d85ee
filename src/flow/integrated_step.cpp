#include "flow/integrated_step.hpp"

#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stickslip {

IntegratedStep::IntegratedStep(const System& system, const Options& options, RightHandSide& rhs,
                               GuardPolynomials& of_guards, Crossings& of_crossings, Matrix& coefficients)
    : sys(system), series(of_guards), crossings(of_crossings), C(coefficients), trial(system, rhs),
      control(system, options, rhs, trial, coefficients), samples(system, rhs, of_guards, coefficients) {}

void IntegratedStep::take(const Regime& r, State& state, double horizon, Step& step) {
  control.begin(r, state);
  step.kind = trial.kind;
  step.columns = trial.columns();
  step.h = control.within_tolerance(r, state, control.propose(r, state, horizon));
  if (step.h == 0.0) return;
  trial.expand(r, state, step.h, C);
  if (!trial.is_stiff())
    state.stiff = trial.looks_stiff(step.h) ? std::min(state.stiff + 1, 1000) : std::max(0, state.stiff - 1);
  const bool sampled = samples.expand(r, state, step);
  if (sampled && !resolve_guards(r, state, step)) return;
  if (r.guards.empty() || !crossings.find(r, state, step)) return;
  if (sampled)
    for (Index k = 0; k < crossings.theta.size(); ++k)
      if (double& theta = crossings.theta[k];
          theta <= 1.0 && (theta > 0.0 || r.guards[k].kind == GuardKind::load_negative))
        theta = confirm(r, k, state, step);
  if (crossings.theta[crossings.earliest()] > 1.0) return;
  if (!end_at_event(r, state, step)) return take(r, state, horizon, step);
  crossings.fire(r, state, step);
}

// Halves the step until samples show its guards. False where it becomes steeper than time can resolve.
bool IntegratedStep::resolve_guards(const Regime& r, State& state, Step& step) {
  // A steep law turns its force within any part of a step; the rows of a machine that is not linear are dear.
  const int most_halvings = sys.smooth ? 8 : 30;
  const double least = 8.0 * tolerance::last_digits * std::abs(state.base_t);
  for (int k = 0; k < most_halvings && !shows_guards(r, state, step); ++k) {
    if (step.h <= least || !trial.make(state, 0.5 * step.h)) break;
    step.h *= 0.5;
    state.step = std::min(state.step, 2.0 * step.h);
    // A step whose stages skip features that half the step meets has a misleadingly small error.
    if (!(control.error(r, state, step.h) <= 1.0)) step.h = control.within_tolerance(r, state, 0.5 * step.h);
    if (step.h == 0.0) return false;
    trial.expand(r, state, step.h, C);
    samples.expand(r, state, step);
  }
  return true;
}

// A body that rotates in flight may open and close a gap within a step that its parabola does not limit: true if the
// polynomials through samples represent these guards between the samples.
bool IntegratedStep::shows_guards(const Regime& r, const State& state, const Step& step) {
  if (!samples.show_all(r)) return false;
  if (!sys.smooth) return true;
  crossings.size_formulas(r, state);
  for (const double theta : {0.42, 0.83}) {
    samples.evaluate(state, step, theta);
    if (misses_motion(step, theta) || misses_guard(r, state, theta)) return false;
  }
  return true;
}

// True if the dense form of a step does not follow the motion between its ends, which the error estimate does not show.
bool IntegratedStep::misses_motion(const Step& step, double theta) const {
  for (Index i = 0; i < sys.nx; ++i) {
    double slope = 0.0;
    for (Index k = step.columns; k-- > 1;) slope = slope * theta + static_cast<double>(k) * C(i, k);
    // A stiff state follows its balance: its rate is known no better than that.
    const double size = control.tolerance_of(i, samples.state()(i)) * (1.0 + step.h * trial.stiffness(i));
    if (!(std::abs(slope - step.h * samples.rate()(i)) <= tolerance::follows * size)) return true;
  }
  return false;
}

bool IntegratedStep::misses_guard(const Regime& r, const State& state, double theta) const {
  for (Index k = 0; k < r.guards.size(); ++k) {
    const GuardKind kind = r.guards[k].kind;
    if (kind != GuardKind::closes && kind != GuardKind::condition && kind != GuardKind::load_negative)
      continue;
    const double whole = crossings.size_of_formula(r.guards[k], state);
    const double shown = polynomial::value(series.row(k), series.degree(), theta);
    const double most = std::max(samples.greatest(k), tolerance::cancelled * whole);
    if (!(std::abs(shown - samples.value(k)) <= tolerance::resolved * most)) return true;
  }
  return false;
}

// A crossing that the polynomial through samples makes by less than its own error, or that ends the run: asks the guard
// itself, and moves the crossing to where the guard is zero or takes it back.
double IntegratedStep::confirm(const Regime& r, Index k, const State& state, const Step& step) {
  const double* const c = series.row(k);
  const double theta = crossings.theta[k];
  double size = 0.0;
  for (Index j = 0; j <= series.degree(); ++j) size += std::abs(c[j]);
  const Extremes e = extremes(c, static_cast<int>(series.degree()));
  if (e.maximum > tolerance::clear * size && r.guards[k].kind != GuardKind::load_negative) return theta;
  auto g = [&](double at) {
    samples.evaluate(state, step, at);
    return samples.value(k) - crossings.shift[k];
  };
  double top = e.at_maximum, most = g(top);
  constexpr double w = tolerance::sliver; // half the width of the parabola
  if (top - w > 0.0 && top + w < 1.0) {   // its own maximum, from a parabola
    const double left = g(top - w), right = g(top + w), bend = left - 2.0 * most + right;
    if (bend < 0.0) {
      const double better = top + std::clamp(0.5 * w * (left - right) / bend, -w, w);
      if (const double value = g(better); value > most) most = value, top = better;
    }
  }
  if (most <= tolerance::product * size) return Crossings::never;
  const double low = std::max(0.0, std::min(theta, top) - 0.1);
  return g(low) < 0.0 ? refine_root(g, low, top) : theta;
}

// The polynomial shows which guard fires first; the guard itself says when, and a step of just that length
// where. False if that shorter step is far less accurate than the whole one, or another guard fires before its end: the
// latter missed something.
bool IntegratedStep::end_at_event(const Regime& r, State& state, Step& step) {
  constexpr double shorter = 0.99; // than the step: its polynomials know more
  const Index which = crossings.earliest();
  const double theta = crossings.theta[which], h = step.h;
  if (!(theta > 0.0)) return true;
  if (trial.is_balanced()) { // an instant, whose state is that of its end
    for (double& other : crossings.theta)
      if (other <= 1.0) other = 1.0;
    return true;
  }
  const std::optional<double> located = locate(r, which, state, step);
  if (!located || (*located < shorter * h && samples.passes_another(r, state, which))) {
    state.step = located ? *located : 0.5 * (theta * h);
    state.last_error = 0.0;
    return false;
  }
  const double cut = *located;
  trial.expand(r, state, cut, C);
  // A step many times longer than the way to its event (of a flight in parabolas there is no error to limit
  // it) leaves too few digits to find the next one, which may come sooner still.
  if (state.base_t + cut != state.base_t)
    state.step = std::min(state.step, std::max(10.0 * cut, tolerance::shrinks * h));
  // The polynomials of guards that fire together are off by the same; one that fires earlier, by rounding, fires with it.
  for (double& other : crossings.theta)
    if (other <= 1.0) other = std::max(1.0, 1.0 + (other - theta) * h / cut);
  step.h = cut;
  crossings.theta[which] = 1.0;
  return true;
}

// The time after the start at which a guard fires, by steps of just that length, of which the trial is the last; nothing if
// such a step is far less accurate than the whole one.
std::optional<double> IntegratedStep::locate(const Regime& r, Index guard, const State& state,
                                             const Step& step) {
  const double theta = crossings.theta[guard], h = step.h, t = state.base_t;
  double slope = polynomial::value_slope(series.row(guard), series.degree(), theta).slope / h;
  const int most_rounds = sys.smooth ? 6 : 3; // rows that turn make the polynomial a poorer guide
  double cut = theta * h, last_cut = 0.0, last_value = 0.0;
  for (int round = 0; round < most_rounds; ++round) {
    if (!trial.make(state, cut)) break;
    if (control.error(r, state, cut) > tolerance::integrated) return std::nullopt;
    samples.evaluate_at(t + cut, trial.end().data());
    const double value = samples.value(guard);
    // If the slope of the polynomial converges too slowly, that of the guard itself.
    if (const double secant = (value - last_value) / (cut - last_cut); round >= 2 && secant > 0.0)
      slope = secant;
    const double correction = slope > 0.0 ? (crossings.shift[guard] - value) / slope : 0.0;
    const double next = cut + correction;
    if (!(std::abs(correction) < 0.1 * theta * h) || next <= 0.0 || next > 1.01 * h) break;
    if (std::abs(correction) <= 0.5 * tolerance::last_digits * std::max(std::abs(t), h) ||
        round + 1 == most_rounds)
      break;
    last_cut = cut, last_value = value;
    cut = next;
  }
  return cut;
}

} // namespace stickslip
