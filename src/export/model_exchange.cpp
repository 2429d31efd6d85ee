#include "export/model_exchange.hpp"

#include "core/error.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "export/gauge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip {

namespace {

// Importers compare times with nine digits.
constexpr double same_time = 1e-9;
// A root of an event indicator is known to a hundred units in the last place of the time.
constexpr double located_root = 100.0 * tolerance::epsilon;

} // namespace

std::string exchange_refusal(const System& sys) {
  for (const Friction& p : sys.friction)
    if (p.delayed >= 0)
      return "friction of '" + p.name +
             "' has a dead time: its force depends on the motion before, which a solver outside does not "
             "keep; "
             "choose co-simulation, or the memory stickslip.Lag";
  return {};
}

ModelExchange::ModelExchange(std::shared_ptr<const ExportedMachine> of) : CoSimulation(std::move(of)) {
  compile_machine();
  if (const std::string why = exchange_refusal(compiled->system); !why.empty()) throw InvalidArgument(why);
}

void ModelExchange::reset() {
  CoSimulation::reset();
  motion.reset(), fired.clear();
}

void ModelExchange::set_state(CoSimulationState given) {
  CoSimulation::set_state(std::move(given));
  motion.reset(), fired.clear();
  inputs_before = s.inputs;
}

// The start, or the decision under other parameters; its events until the solver can go on.
void ModelExchange::begin() {
  if (s.started && !s.parameters_changed) return;
  fired.clear(), drifted = false;
  compile_machine();
  // Rebounds below the accuracy of positions, whose heights go with the squares of their speeds, are plastic.
  options.rebound_threshold = std::max(Options{}.rebound_threshold, std::sqrt(s.rtol));
  s.rounding = tolerance::last_digits * std::abs(s.t) + tolerance::rounding * compiled->system.time_scale;
  if (!s.started)
    start();
  else
    apply_parameters();
  s.now.state.x = s.now.state.base_x;
  s.step_before = s.last_step = {s.t, s.inputs, {}};
  inputs_before = s.inputs;
  arrive();
}

// The state behind a decision: the solver goes on from here, and its guards count from here.
void ModelExchange::arrive() {
  State& state = s.now.state;
  state.t = s.t;
  s.before = s.now;
  ahead = {};
  samples.reset();
  s.held = {{s.t_start, s.inputs, {}}};
  inputs->write(compiled->system, s.greatest, s.held);
  if (!motion || motion->machine != compiled) motion.emplace(compiled);
  motion->regime = nullptr;
  s.offsets.resize(0);
  Motion& m = evaluated();
  const Vector now = m.values;
  s.offsets = m.guards.offsets(now, guards_after(tolerance::short_time * state.time_scale), s.rtol);
}

// Guards a short time ahead, on the tangent of the motion.
Vector ModelExchange::guards_after(double time) {
  Motion& m = evaluated();
  const State& state = s.now.state;
  const Vector x = state.x + time * m.xdot;
  Vector rate = Vector::Zero(x.size()), values(m.values.size());
  m.rhs(state.t + time, x.data(), rate.data());
  m.rhs.guards(state.t + time, x.data(), values.data());
  m.evaluated = false;
  return values;
}

void ModelExchange::apply_inputs() {
  begin();
  if (!std::exchange(s.inputs_changed, false)) return;
  s.held = {{s.t_start, s.inputs, {}}};
  inputs->write(compiled->system, s.greatest, s.held);
  if (motion) motion->framed = false;
}

// x' and guards at the present time, states and inputs.
ModelExchange::Motion& ModelExchange::evaluated() {
  if (!motion) motion.emplace(compiled);
  Motion& m = *motion;
  const State& state = s.now.state;
  const System& sys = compiled->system;
  const bool decided = m.regime == nullptr;
  if (decided) m.regime = &compiled->regimes.get(sys, state.modes);
  if (decided || !m.framed) {
    m.rhs.begin(*m.regime, state);
    m.framed = true, m.evaluated = false;
  }
  if (decided) {
    m.xdot.setZero(sys.nx);
    m.rhs(state.base_t, state.base_x.data(), m.xdot.data());
    Vector sizes(m.regime->guards.size());
    const double* const signals = m.rhs.signals.now.data();
    for (Index k = 0; k < sizes.size(); ++k) {
      sizes(k) = guard_size(sys, *m.regime, m.regime->guards[k], state.base_t, state.base_x.data(), signals,
                            m.rhs.force.data(), state.nominal);
      if (const Form* const form = m.regime->guard_terms[k].form; form != nullptr && sizes(k) == 0.0)
        sizes(k) = size_of(*form, state.nominal, signals);
    }
    m.guards.bind(*m.regime, sizes);
  }
  if (std::exchange(m.evaluated, true)) return m;
  m.values.setZero(m.regime->guards.size());
  m.rhs(state.t, state.x.data(), m.xdot.data());
  m.rhs.guards(state.t, state.x.data(), m.values.data());
  if (s.offsets.size() != m.values.size()) s.offsets = Vector::Zero(m.values.size());
  m.out = m.guards.combine(m.values, s.offsets);
  return m;
}

const Vector& ModelExchange::states() {
  apply_inputs();
  return s.now.state.x;
}

// Sizes as seen so far, or as expected; 1 of a state that nothing moves.
const Vector& ModelExchange::nominals() {
  apply_inputs();
  nominal = s.now.state.nominal.cwiseMax(compiled->system.nominal);
  nominal = (nominal.array() > 0.0).select(nominal, 1.0);
  return nominal;
}

const Vector& ModelExchange::rates() {
  apply_inputs();
  return evaluated().xdot;
}

const Vector& ModelExchange::indicators() {
  apply_inputs();
  return evaluated().out;
}

void ModelExchange::moved() {
  if (motion) motion->evaluated = false;
  samples.reset();
}

void ModelExchange::set_time(double t) {
  s.t = s.now.state.t = finite("time", t);
  moved();
}

void ModelExchange::set_states(const Vector& x) {
  apply_inputs();
  if (!x.allFinite()) throw InvalidArgument("a continuous state is not finite");
  s.now.state.x = x;
  moved();
}

bool ModelExchange::complete_step() {
  apply_inputs();
  Motion& m = evaluated();
  m.guards.release(m.values, s.offsets);
  m.evaluated = false;
  if (s.t > s.last_step.from) s.step_before = std::exchange(s.last_step, {s.t, s.inputs, {}});
  if ((m.values.array() > s.offsets.array()).any()) return true; // an event that the solver has missed
  const System& sys = compiled->system;
  if (!sys.smooth && !sys.constraints.any()) return false;
  Vector there = s.now.state.x;
  m.present.move_to(s.now.state);
  m.present.meet_constraints(s.now.state.modes, s.t, there);
  drifted = ((there - s.now.state.x).array().abs() > s.rtol * s.now.state.nominal.array()).any();
  return drifted;
}

void ModelExchange::enter_event() {
  apply_inputs();
  let_inputs_grow(s.t);
  Motion& m = evaluated();
  State& state = s.now.state;
  // Guards that fire within the accuracy of the root have fired, too, as those of two bodies that stop together.
  const double together = located_root * std::abs(s.t) + tolerance::rounding * state.time_scale;
  const double ahead_by = tolerance::negligible * state.time_scale;
  const Vector values = m.values;
  const Vector rates = (guards_after(ahead_by) - values) / ahead_by;
  fired.clear();
  for (Index k = 0; k < values.size(); ++k) {
    const double now = values(k) - s.offsets(k), error = tolerance::last_digits * m.guards.size_of(k);
    if (now > 0.0 || (rates(k) > 0.0 && now + together * rates(k) + error > 0.0))
      fired.push_back(m.regime->guards[k]);
  }
  inputs_before = s.inputs;
}

// From now on as in the solver's last step, up to the present time.
void ModelExchange::let_inputs_grow(double t) {
  const HeldValues& from = s.last_step.from < s.t ? s.last_step : s.step_before;
  Vector rates = Vector::Zero(s.inputs.size());
  if (from.from < s.t) rates = (s.inputs - from.values) / (s.t - from.from);
  const double start = s.now.state.base_t;
  s.held = {{start, s.inputs - (t - start) * rates, rates}};
  inputs->write(compiled->system, s.greatest, s.held);
  if (motion) motion->framed = motion->evaluated = false;
}

// The instant itself where it is the next scheduled one to the accuracy of importers.
double ModelExchange::snapped(double next) const {
  return next <= s.t + same_time * std::abs(s.t) ? next : s.t;
}

void ModelExchange::decide(double t, const List<Guard>& guards) {
  System& sys = compiled->system;
  State& state = s.now.state;
  if ((s.inputs.array().abs() > s.greatest.array().abs()).any()) {
    s.greatest = (s.inputs.array().abs() > s.greatest.array().abs()).select(s.inputs, s.greatest);
    size_states(sys);
    state.nominal = state.nominal.cwiseMax(sys.nominal);
  }
  if (s.inputs != inputs_before) { // a breakpoint of their signals
    s.held = {{s.t_start, inputs_before, {}}, {t, s.inputs, {}}};
    s.step_before = s.last_step = {t, s.inputs, {}};
    inputs->write(sys, s.greatest, s.held);
  } else {
    let_inputs_grow(t);
  }
  if (sys.smooth && s.inputs.size() > 0)
    make_runner();
  else
    runner->signals_changed();
  const Vector x = state.x;
  options.t_end = t + tolerance::last_digits * std::abs(t) + tolerance::rounding * state.time_scale;
  options.max_events = std::numeric_limits<std::int64_t>::max();
  Gauge gauge(sys, s.now.impulses, ahead);
  check_outcome(runner->decide(state, t, x, guards, gauge));
  state.x = state.base_x;
  inputs_before = s.inputs;
}

ModelExchange::Update ModelExchange::update() {
  State& state = s.now.state;
  const Vector x = state.x, sizes = nominal;
  begin();
  s.inputs_changed = false;
  double next = runner->next_instant(state);
  bool decided = false;
  if (next != snapped(next) && (!fired.empty() || drifted || s.inputs != inputs_before)) {
    decide(s.t, std::exchange(fired, {}));
    next = runner->next_instant(state), decided = true;
  }
  while (next == snapped(next)) { // instants that the solver has passed are late, one after the other
    decide(next, std::exchange(fired, {}));
    next = runner->next_instant(state), decided = true;
  }
  drifted = false;
  if (decided)
    arrive();
  else
    s.inputs_changed = true; // they are held again
  return {state.x.size() != x.size() || state.x != x, nominals().size() != sizes.size() || nominal != sizes,
          next};
}

} // namespace stickslip
