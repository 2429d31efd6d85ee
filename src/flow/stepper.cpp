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
  explicit_work.resize(high() ? 0 : nx);
  fine_work.resize(high() ? nx : 0);
  stiff_work.resize(nx);
  atol = Vector::Zero(nx);
  signals_changed(); // those that vary are set in every step
  for (Index i = 0; i < sys.signals.size(); ++i)
    if (is_constant(sys.signals[i]))
      s(i) = sys.signals[i].pieces.front().c[0];
    else
      varying.push_back(i);
  pieces.assign(varying.size(), Held{});
  for (const Loop& l : sys.loops)
    if (const Block& b = l.block; !b.continuous())
      for (const double interval : {b.period, b.delay, b.period - b.delay})
        if (interval > 0.0) intervals.push_back(interval);
}

void Stepper::signals_changed() {
  signal_values(sys, 0.0, s.data());
  signal_series.col(0) = s;
  known_end.of = nullptr;
  for (const auto& known : plans) known->strides.clear();
}

// Signals keep the piece they have at the start of the step up to its very end, where the next one begins.
void Stepper::frame(double t) {
  for (Index k = 0; k < varying.size(); ++k) pieces[k] = piece_at(sys.signals[varying[k]], t);
  signals_at(t, s.data());
}

void Stepper::signals_at(double t, double* out) const {
  for (Index k = 0; k < varying.size(); ++k) out[varying[k]] = value(pieces[k], t);
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

// From tick to tick where nothing happens in between: the same map of the state again and again. Which intervals are
// taken so depends on the machine alone, so that a run that is continued has the same bits.
bool Stepper::take_stride(const Regime& r, const State& state, double horizon, Step& step) {
  if (intervals.empty() || state.after_transition || r.sharing.any() || delays.any() || sys.smooth ||
      horizon > options.max_step || (options.method != Method::automatic && options.method != Method::exact))
    return false;
  if (!r.affine && (options.atol.size() > 0 || !field.bind(r, varying, s.data()) || !field.curves()))
    return false;
  List<std::unique_ptr<Stride>>& known = plan_of(r).strides;
  auto at = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one->is_over(horizon); });
  if (at == known.end()) {
    const auto regular = std::find_if(intervals.begin(), intervals.end(),
                                      [&](double h) { return Stride::same_interval(h, horizon); });
    if (regular == intervals.end()) return false;
    known.push_back(std::make_unique<Stride>(sys, r, *regular, s, varying));
    at = known.end() - 1;
  }
  Stride& stride = **at;
  if (!stride.take(state, field, options.rtol)) return false;
  step.kind = r.affine ? FlowKind::exact : FlowKind::explicit_pair;
  step.h = horizon;
  step.columns = stride.columns;
  step.stride = &stride;
  return true;
}

void Stepper::write_out(Step& step) {
  step.stride->map->expand(step.stride->start(), sys.nx, step.columns, C.data());
  step.stride = nullptr;
}

void Stepper::take(const Regime& regime, State& state, double t_limit, Step& step) {
  step.fired.clear();
  step.end = 1.0;
  step.stride = nullptr;
  const double horizon = (t_limit - state.base_t) - state.base_t_compensation;
  if (take_stride(regime, state, horizon, step)) return;
  frame(state.base_t);
  state_signals(sys, regime.modes, state.base_t, state.base_x.data(), s.data(), scratch);
  crossing.assign(regime.guards.size(), 2.0);
  if (delays.any()) stepped = &state, delays.frame(state);
  const bool use_exact = regime.affine && delays.rest(state) &&
                         (options.method == Method::automatic || options.method == Method::exact);
  if (use_exact)
    exact(regime, state, horizon, step);
  else
    adaptive(regime, state, horizon, step);
}

} // namespace stickslip
