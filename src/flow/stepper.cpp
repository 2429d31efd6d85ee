#include "flow/stepper.hpp"

#include "model/smooth.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

Stepper::Stepper(const System& system, const Options& opts)
    : delays(system), sys(system), options(opts), scratch(system), scale(system.nx), field(system) {
  const Index nx = sys.nx, ns = sys.ns();
  C.resize(nx, exact_columns);
  s = sdot = Vector::Zero(ns);
  if (sys.smooth) reads_time = std::count(sys.smooth->inputs.begin(), sys.smooth->inputs.end(), -1) > 0;
  for (const Friction& p : sys.friction)
    if (p.traits.states > 0) scratch.for_derivatives(sys);
  force = scratch.force;
  f0 = dfdt = Vector::Zero(nx);
  work = Vector::Zero(2 * nx);
  theta_column = Vector::Zero(nx);
  swing.start = Vector::Zero(nx);
  J.resize(nx, nx);
  signal_series = Matrix::Zero(ns, exact_columns);
  explicit_work.resize(nx);
  stiff_work.resize(nx);
  atol = Vector::Zero(nx);
  signals_changed(); // those that vary are set in every step
  for (Index i = 0; i < sys.signals.size(); ++i)
    if (is_constant(sys.signals[i]))
      s(i) = sys.signals[i].pieces.front().c[0];
    else
      varying.push_back(i);
  pieces.assign(varying.size(), nullptr);
}

void Stepper::signals_changed() {
  signal_values(sys, 0.0, s.data());
  signal_series.col(0) = s;
}

// Signals keep the piece they have at the start of the step up to its very end, where the next one begins.
void Stepper::frame(double t) {
  for (Index k = 0; k < varying.size(); ++k) {
    const Signal& sig = sys.signals[varying[k]];
    pieces[k] = &sig.pieces[piece_at(sig, t)];
  }
  signals_at(t, s.data());
}

void Stepper::signals_at(double t, double* out) const {
  for (Index k = 0; k < varying.size(); ++k) out[varying[k]] = value(*pieces[k], t);
}

void Stepper::rhs(const Regime& r, double t, const double* x, double* dx) {
  ++evaluations;
  signals_at(t, s.data());
  if (!delays.any()) {
    evaluate(sys, r, t, x, s.data(), dx, force.data(), scratch);
    return;
  }
  with_delays = Eigen::Map<const Vector>(x, sys.nx);
  delays.set(*stepped, t, with_delays.data());
  evaluate(sys, r, t, with_delays.data(), s.data(), dx, force.data(), scratch);
  delays.set_rates(*stepped, t, dx);
}

void Stepper::take(const Regime& regime, State& state, double t_limit, Step& step) {
  step.fired.clear();
  step.end = 1.0;
  frame(state.base_t);
  state_signals(sys, regime.modes, state.base_t, state.base_x.data(), s.data(), scratch);
  crossing.assign(regime.guards.size(), 2.0);
  const double horizon = (t_limit - state.base_t) - state.base_t_compensation;
  if (delays.any()) stepped = &state, delays.frame(state);
  const bool use_exact = regime.affine && delays.rest(state) &&
                         (options.method == Method::automatic || options.method == Method::exact);
  if (use_exact)
    exact(regime, state, horizon, step);
  else
    adaptive(regime, state, horizon, step);
}

} // namespace stickslip
