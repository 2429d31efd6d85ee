#include "flow/stepper.hpp"

#include "core/polynomial.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

Stepper::Stepper(const System& system, const Options& opts)
    : C(system.nx, taylor_columns), sys(system), options(opts), rhs(system), guards(system),
      crossings(system, opts, rhs, guards), swing(system), series(system, opts, rhs.signals, guards, C),
      integrated(system, opts, rhs, guards, crossings, C) {
  for (const Loop& l : sys.loops)
    if (const Block& b = l.block; !b.continuous())
      for (const double interval : {b.period, b.delay, b.period - b.delay})
        if (interval > 0.0) intervals.push_back(interval);
}

void Stepper::take(const Regime& regime, State& state, double t_limit, Step& step) {
  step.fired.clear();
  step.end = 1.0;
  step.stride = nullptr;
  const double horizon = (t_limit - state.base_t) - state.base_t_compensation;
  if (take_stride(regime, state, horizon, step)) return;
  rhs.begin(regime, state);
  const bool exact = regime.affine && rhs.delays.rest(state) &&
                     (options.method == Method::automatic || options.method == Method::exact);
  if (exact)
    take_exact(regime, state, horizon, step);
  else
    integrated.take(regime, state, horizon, step);
}

void Stepper::take_exact(const Regime& r, State& state, double horizon, Step& step) {
  const FlowPlan& form = plan_of(r);
  const double reach = std::min(horizon, options.max_step);
  step.kind = FlowKind::exact;
  if (form.swings && rhs.signals.constant() && swing.take(form, rhs.signals.now, state, reach, step)) return;
  series.take(form, state, reach, step);
  if (!r.guards.empty() && crossings.find(r, state, step)) crossings.fire(r, state, step);
}

// From one sampling instant to the next where nothing happens in between: the same map of the state again and again. Which intervals are
// taken so depends on the machine alone, so that a run that is continued has the same bits.
bool Stepper::take_stride(const Regime& r, const State& state, double horizon, Step& step) {
  if (intervals.empty() || state.after_transition || r.sharing.any() || rhs.delays.any() || sys.smooth ||
      horizon > options.max_step || (options.method != Method::automatic && options.method != Method::exact))
    return false;
  if (!r.affine && (options.atol.size() > 0 || !rhs.bind(r) || !rhs.field.curves())) return false;
  List<std::unique_ptr<Stride>>& known = plan_of(r).strides;
  auto at = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one->is_over(horizon); });
  if (at == known.end()) {
    const auto regular = std::find_if(intervals.begin(), intervals.end(),
                                      [&](double h) { return Stride::same_interval(h, horizon); });
    if (regular == intervals.end()) return false;
    known.push_back(std::make_unique<Stride>(sys, r, *regular, rhs.signals.now, rhs.signals.varying));
    at = known.end() - 1;
  }
  Stride& stride = **at;
  if (!stride.take(state, rhs.field, options.rtol)) return false;
  step.kind = r.affine ? FlowKind::exact : FlowKind::explicit_pair;
  step.h = horizon;
  step.columns = stride.columns;
  step.stride = &stride;
  return true;
}

// A regime stays where it is as long as the stepper lives.
FlowPlan& Stepper::plan_of(const Regime& r) {
  constexpr Index most_plans = 256;
  if (plan != nullptr && plan->regime == &r) return *plan;
  for (const auto& known : plans)
    if (known->regime == &r) return *(plan = known.get());
  if (plans.size() >= most_plans) plans.clear();
  return *(plan = plans.emplace_back(std::make_unique<FlowPlan>(r)).get());
}

void Stepper::signals_changed() {
  const Vector before = rhs.signals.now;
  rhs.signals.update_constants();
  integrated.forget();
  // Strides depend on constant signals alone.
  for (Index k = 0; k < sys.ns(); ++k) {
    if (rhs.signals.now(k) == before(k) || !is_constant(sys.signals[k])) continue;
    for (const auto& known : plans) known->strides.clear();
    return;
  }
}

void Stepper::write_out(Step& step) {
  step.stride->map->expand(step.stride->start(), sys.nx, step.columns, C.data());
  step.stride = nullptr;
}

void Stepper::state_at(const Step& step, double tau, double* x) const {
  if (step.columns == 0) return swing.state_at(tau, x);
  const double theta = step.h > 0.0 ? tau / step.h : 0.0;
  polynomial::values(C.data(), sys.nx, step.columns, theta, x);
}

} // namespace stickslip
