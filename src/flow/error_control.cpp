#include "flow/error_control.hpp"

#include "core/step_control.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double error_target = 0.25; // of a pair of twelve stages: its errors change fast
constexpr double radians = 1.5;       // of the fastest harmonic in a step

} // namespace

ErrorControl::ErrorControl(const System& system, const Options& given, RightHandSide& right_hand_side,
                           TrialStep& of, Matrix& coefficients)
    : sys(system), options(given), rhs(right_hand_side), trial(of), C(coefficients),
      features(system, given, rhs.signals), atol(Vector::Zero(system.nx)), work(Vector::Zero(2 * system.nx)) {
}

void ErrorControl::begin(const Regime& r, const State& state) {
  set_tolerances(r, state);
  trial.begin(r);
  choose_method(r, state);
}

void ErrorControl::set_tolerances(const Regime& r, const State& state) {
  if (options.atol.size() > 0) {
    atol = options.atol;
    return;
  }
  driven.update(sys.A, state);
  const Vector& sizes = driven.values();
  for (Index i = 0; i < sys.nx; ++i) atol(i) = options.rtol * std::min(sizes(i), sys.finest(i));
  // States of controllers: relative to their greatest value so far, which may be far below the size that the loads
  // suggest, but above rounding errors of that size.
  for (const Loop& l : sys.loops)
    for (Index i = l.states; l.states >= 0 && i < l.states + l.block.states(); ++i)
      atol(i) = std::min(atol(i), std::max(options.rtol * state.seen(i), tolerance::product * sizes(i)));
  for (Index k = 0; k < rhs.delays.count(); ++k) // a velocity like the one that it was
    atol(rhs.delays.state_of(k)) = options.rtol * rhs.delays.velocity_size(k, sizes);
  if (r.sticking.size() + r.closed.size() < 2) return;
  // Forces that cancel in a coordinate leave their rounding there, of which no step can be free.
  rhs(state.base_t, state.base_x.data(), trial.rate.data());
  trial.know(r, state.base_x, trial.rate);
  work.setZero();
  auto forces = work.head(sys.nx);
  for (const Index i : r.sticking) forces += std::abs(rhs.force(i)) * sys.friction[i].effect.cwiseAbs();
  for (const Index j : r.closed)
    forces += std::abs(rhs.force(sys.friction.size() + j)) * sys.contacts[j].effect.cwiseAbs();
  forces *= tolerance::rounding * state.time_scale;
  const Index n = sys.n_coordinates;
  atol.segment(n, n) = atol.segment(n, n).cwiseMax(forces.segment(n, n));
  atol.head(n) = atol.head(n).cwiseMax(state.time_scale * forces.segment(n, n));
}

bool ErrorControl::looks_stiff(const Regime& r, const State& state) const {
  constexpr int stiff_in_a_row = 15;
  const auto has_bristles = [this](Index i) { return sys.friction[i].traits.states > 0; };
  return options.method == Method::automatic && (trial.balance.any() || state.stiff >= stiff_in_a_row ||
                                                 std::ranges::any_of(r.sliding, has_bristles));
}

// Out of rest the slope of a falling curve may be infinite; the tiny first steps need no implicit method, unless another
// element is steep.
void ErrorControl::choose_method(const Regime& r, const State& state) {
  const double t = state.base_t, *const x = state.base_x.data();
  const bool quick = rhs.bind_step();
  const bool falls = std::ranges::any_of(r.sliding, [this](Index i) {
    const LawTraits& law = sys.friction[i].traits;
    return law.sticks && !law.affine;
  });
  if (!trial.find_known(r, state) && (falls || !quick)) rhs.evaluate(t, x, trial.rate.data());
  features.no_departing();
  const bool out_of_rest = falls && features.find_departing(r, state, trial.rate);
  const bool begins_explicitly = out_of_rest && !trial.balance.any();
  trial.kind = !begins_explicitly && (options.method == Method::stiff || looks_stiff(r, state))
                   ? FlowKind::stiff
                   : FlowKind::explicit_pair;
  if (trial.is_stiff()) {
    if (quick && !falls) ++rhs.evaluations;
    if (!trial.linearise(state)) trial.kind = FlowKind::explicit_pair;
  } else if (quick && !falls) {
    rhs.evaluate(t, x, trial.rate.data());
  }
}

// Maximum step for which effects outside the error estimate are resolved.
double ErrorControl::longest_step(const Regime& r, const State& state) {
  // Guards see the signals even where the state does not (a sticking block under a vibrating force): no step may
  // be so long that the polynomial through their samples misses a swing. Pieces of polynomials are short
  // enough by themselves.
  const double fastest = rhs.signals.greatest_frequency();
  double longest = fastest > 0.0 ? std::min(options.max_step, radians / fastest) : options.max_step;
  longest = std::min(longest, rhs.delays.longest_step(r.modes));
  // An ageing limit has a pole at T_dwell before the stick began; within this distance from it samples show
  // its course.
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const Friction& p = sys.friction[i];
        p.aged >= 0 && r.modes.friction[i].sticks() && state.base_x(p.aged) != 1.0)
      longest = std::min(longest, p.automaton.dwell + std::max(0.0, state.base_t - state.base_x(p.entered)));
  // In steady sliding a bristle's rate is zero to the last bit and the error estimate is blind to instability of
  // the explicit pair.
  constexpr double stable = 2.5; // h |lambda|
  if (!trial.is_stiff()) longest = std::min(longest, stable / rhs.greatest_bristle_rate(state.base_x.data()));
  return longest;
}

double ErrorControl::propose(const Regime& r, State& state, double horizon) {
  const double t = state.base_t;
  if (!(state.step > 0.0)) {
    const double reach = std::isfinite(horizon) ? horizon : tolerance::outlook * state.time_scale;
    state.step =
        std::max(initial_step(rhs, t, state.base_x.data(), trial.rate.data(), sys.nx, trial.explicit_order(),
                              atol.data(), options.rtol, reach, 0.0, work.data()),
                 4.0 * tolerance::last_digits * std::abs(t));
  }
  const double proposed = trial.balance.first_step(state, std::min(state.step, longest_step(r, state)));
  return std::isfinite(horizon) ? fit_step(proposed, horizon) : proposed;
}

double ErrorControl::error(const Regime& r, const State& state, double h) {
  const double e = trial.error_in_tolerances(state, atol, options.rtol);
  if (!std::isfinite(e) || !trial.balance.any()) return e;
  trial.expand(r, state, h, C);
  const double of_forces =
      trial.balance.error(state, h, C.leftCols(trial.columns()), trial.end(), trial.error());
  return std::max(e, of_forces / options.rtol);
}

double ErrorControl::within_tolerance(const Regime& r, State& state, double h) {
  const double t = state.base_t;
  StepController controller;
  if (trial.is_high()) controller.order = dop853_order, controller.target = error_target;
  controller.previous = state.last_error;
  controller.predict = trial.is_stiff();
  controller.resized(h / state.step);
  constexpr int patience = 6; // the crossing may lie behind a reversal, to which the iteration does not lead
  constexpr double shrinks_at_least = 0.1;
  int cuts = 0, refusals = 0;
  for (int tries = 0; tries <= 100 && t + h != t; ++tries) {
    double e = std::numeric_limits<double>::infinity();
    if (trial.make(state, h)) {
      e = error(r, state, h);
      if (std::isfinite(e)) e = std::max(e, features.departing_error(state, h, trial.end(), trial.error()));
    }
    bool accepted = false;
    const double factor = controller.next(e, accepted);
    // Steps that time hardly resolves cannot be shortened.
    if (accepted && !trial.balance.is_instant(state, h) &&
        features.shorten(r, state, trial.rate, trial.end(), h)) {
      if (++cuts % patience == 0) h *= 0.5;
      continue;
    }
    if (!accepted) { // an error that falls with the step alone, as behind a turn, would take a hundred attempts
      state.step = h *= ++refusals % patience == 0 ? std::min(factor, shrinks_at_least) : factor;
      continue;
    }
    if (trial.balance.stands_still(state, h)) return 0.0;
    // A step cut short by a breakpoint says nothing against the one proposed before.
    const double next = h < state.step ? std::max(state.step, h * factor) : h * factor;
    controller.resized(next / (h * factor));
    state.step = next;
    state.last_error = controller.previous;
    return h;
  }
  return 0.0;
}

} // namespace stickslip
