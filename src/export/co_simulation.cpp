#include "export/co_simulation.hpp"

#include "core/error.hpp"
#include "core/polynomial.hpp"
#include "ensemble/with_numbers.hpp"
#include "export/gauge.hpp"
#include "run/check.hpp"
#include "run/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip {

namespace {

template <class Named> List<std::string> names_of(const List<Named>& list) {
  List<std::string> names;
  for (const Named& one : list) names.push_back(one.name);
  return names;
}

template <class Named> Vector values_of(const List<Named>& list) {
  Vector values(list.size());
  for (Index k = 0; k < list.size(); ++k) values(k) = list[k].value;
  return values;
}

bool is_sampled(const System& sys) {
  return std::any_of(sys.loops.begin(), sys.loops.end(), [](const Loop& l) { return !l.block.continuous(); });
}

} // namespace

CoSimulation::CoSimulation(std::shared_ptr<const ExportedMachine> of) : exported(std::move(of)) {
  reset();
}

void CoSimulation::reset() {
  s = {};
  s.parameters = values_of(exported->parameters);
  s.inputs = values_of(exported->inputs);
  s.rtol = exported->rtol;
  compiled.reset(), runner.reset(), samples.reset();
  ahead = {}, expects_change = false;
}

void CoSimulation::set_start(double t, std::optional<double> rtol) {
  s.t = s.t_start = finite("startTime", t);
  s.rtol = rtol ? positive("tolerance", *rtol) : exported->rtol;
  s.started = false;
}

void CoSimulation::set_parameter(Index which, double value) {
  s.parameters(which) = finite(exported->parameters[which].name, value);
  s.started = false;
  compiled.reset();
}

void CoSimulation::tune(Index which, double value) {
  if (s.parameters(which) == finite(exported->parameters[which].name, value)) return;
  s.parameters(which) = value;
  s.parameters_changed = true;
  samples.reset();
}

void CoSimulation::set_input(Index which, double value) {
  finite(exported->inputs[which].name, value);
  if (compiled) inputs->check(compiled->system, which, value);
  if (s.inputs(which) == value) return;
  s.inputs(which) = value;
  s.inputs_changed = true;
  samples.reset();
}

void CoSimulation::compile_machine() {
  if (compiled) return;
  runner.reset(), samples.reset();
  Vector x0 = exported->initial;
  const Vector given = values_of(exported->parameters);
  const bool as_exported = s.parameters == given;
  auto fresh = std::make_shared<Compiled>();
  fresh->system =
      as_exported
          ? compile(exported->machine)
          : compile(with_numbers(exported->machine, names_of(exported->parameters), s.parameters, x0));
  if (x0.size() != fresh->system.nx)
    reject("initial", "has " + std::to_string(x0.size()) + " values for " + std::to_string(fresh->system.nx) +
                          " states");
  inputs.emplace(fresh->system, names_of(exported->inputs));
  outputs.clear();
  for (const ExportedOutput& one : exported->outputs)
    outputs.push_back(&find_output(fresh->system, one.name));
  compiled = std::move(fresh);
  compiled_parameters = s.parameters;
  start_values = std::move(x0);
}

void CoSimulation::start() {
  if (s.started) return;
  compile_machine();
  for (Index k = 0; k < s.inputs.size(); ++k) inputs->check(compiled->system, k, s.inputs(k));
  s.greatest = s.inputs;
  s.held = {{s.t_start, s.inputs}};
  inputs->write(compiled->system, s.greatest, s.held);
  size_states(compiled->system);
  make_runner();
  s.before.state = initial_state(compiled->system, s.t_start, start_values);
  s.before.impulses = Vector::Zero(compiled->system.contacts.size());
  constexpr double checked = 1e6; // s: how long a run will be is not known
  options.t_end = s.t_start + checked;
  validate(compiled->system, s.before.state, options);
  s.now = s.before;
  s.started = true, s.inputs_changed = false;
  run_to(s.t_start, false);
}

// A machine that is not linear keeps a copy of its signals in the runner.
void CoSimulation::write_inputs() {
  System& sys = compiled->system;
  const bool grown = (s.inputs.array().abs() > s.greatest.array().abs()).any();
  if (grown) s.greatest = (s.inputs.array().abs() > s.greatest.array().abs()).select(s.inputs, s.greatest);
  inputs->write(sys, s.greatest, s.held);
  if (grown) {
    size_states(sys);
    for (ReachedPoint* point : {&s.before, &s.now})
      point->state.nominal = point->state.nominal.cwiseMax(sys.nominal);
  }
  if (sys.smooth) make_runner();
}

void CoSimulation::make_runner() {
  options.rtol = s.rtol;
  options.max_step = exported->max_step;
  options.keep = Keep::nothing;
  runner = std::make_unique<Runner>(compiled->system, compiled->regimes, options);
}

void CoSimulation::settle() {
  apply_inputs();
  if (!s.open) return;
  forget_expected_change();
  s.open = false;
  s.before = s.now;
  run_to(s.t, false);
}

void CoSimulation::forget_expected_change() {
  if (std::exchange(expects_change, false)) inputs->write(compiled->system, s.greatest, s.held);
}

// The earliest sampling instant at the communication point, or the point.
double CoSimulation::next_sampling() const {
  double at = s.t;
  const auto offer = [&](double t) {
    if (std::abs(t - s.t) <= s.rounding) at = std::min(at, t);
  };
  const SamplingState& sampling = s.now.state.sampling;
  const List<Loop>& loops = compiled->system.loops;
  for (Index b = 0; b < loops.size(); ++b) {
    if (loops[b].block.continuous()) continue;
    offer(instant(loops[b], sampling.next[b]));
    if (sampling.pending[b] != SamplingState::none)
      offer(instant(loops[b], sampling.pending[b]) + loops[b].block.delay);
  }
  return at;
}

void CoSimulation::apply_parameters() {
  const State last = s.now.state;
  compiled.reset();
  compile_machine();
  const System& sys = compiled->system;
  inputs->write(compiled->system, s.greatest, s.held);
  size_states(compiled->system);
  make_runner();
  State& state = s.before.state = initial_state(sys, s.t, last.x);
  state.sampling = last.sampling, state.instant = last.instant;
  state.slips = last.slips;
  state.nominal = state.nominal.cwiseMax(last.nominal), state.seen = state.seen.cwiseMax(last.seen);
  s.before.impulses = s.now.impulses;
  s.now = s.before;
  s.parameters_changed = expects_change = false;
  ahead = {};
  run_to(s.t, false);
}

void CoSimulation::apply_inputs() {
  start();
  if (s.parameters_changed) apply_parameters();
  if (!s.inputs_changed) return;
  const double t = s.t;
  // The point itself has been computed with the inputs before.
  const bool again = !(s.now.state.base_t < t - s.rounding);
  const double from = again ? std::min(t, s.now.state.base_t) : next_sampling();
  if (again)
    s.now = s.before;
  else
    s.before = s.now;
  if (s.held.back().from < from)
    s.held.push_back({from, s.inputs});
  else
    s.held.back().values = s.inputs;
  // Values that ended before the state from which the motion is computed.
  while (s.held.size() > 1 && s.held[1].from <= s.before.state.base_t) s.held.erase(s.held.begin());
  write_inputs();
  if (again && !compiled->system.smooth) runner->signals_changed();
  s.inputs_changed = s.open = expects_change = false;
  run_to(t, false);
}

bool CoSimulation::advance(double t_end, bool to_event) {
  const bool changes = s.inputs_changed;
  apply_inputs();
  forget_expected_change();
  s.open = false;
  s.rounding = Schedule::one_instant * std::abs(t_end);
  // Importers add steps, while sampling instants are products, so both differ by many roundings after a long time.
  constexpr double same_instant = 1e-9; // of a step
  if (is_sampled(compiled->system)) s.rounding = std::max(s.rounding, same_instant * (t_end - s.t));
  if (t_end < ahead.t1 && move_to(t_end)) return false;
  s.before = s.now;
  return changes ? run_to_change(t_end, to_event) : run_to(t_end, to_event);
}

// To a time within the step that has been made, or to its start where this is the same instant.
bool CoSimulation::move_to(double t) {
  State& state = s.now.state;
  const System& sys = compiled->system;
  const double at = std::max(t, state.base_t);
  if (!(at >= ahead.t0 && at <= ahead.t1) || sys.smooth || sys.constraints.any()) return false;
  samples.reset();
  s.t = t, state.t = at;
  polynomial::values(ahead.coefficients.data(), sys.nx, ahead.coefficients.cols(),
                     ahead.h > 0.0 ? (at - ahead.t0) / ahead.h : 0.0, state.x.data());
  return true;
}

// Inputs that have changed at the last point will change at the next one: a step that ends there is shorter than one
// of which only a part counts. Sampling instants at the point wait for the inputs, or for somebody to read outputs.
bool CoSimulation::run_to_change(double t, bool to_event) {
  s.held.push_back({t, s.inputs});
  inputs->write(compiled->system, s.greatest, s.held);
  s.held.pop_back();
  const bool event = run_to(std::max(s.now.state.t, t - 2.0 * s.rounding), to_event);
  if (event) {
    inputs->write(compiled->system, s.greatest, s.held);
    return true;
  }
  if (!move_to(t)) s.t = s.now.state.t = t;
  expects_change = true;
  s.open = is_sampled(compiled->system);
  return false;
}

bool CoSimulation::run_to(double t, bool to_event) {
  samples.reset();
  options.t_end = t + s.rounding;
  options.max_events = to_event ? 0 : std::numeric_limits<std::int64_t>::max();
  Gauge gauge(compiled->system, s.now.impulses, ahead);
  const Outcome outcome = runner->run(s.now.state, gauge, {});
  check_outcome(outcome);
  const bool event = outcome.status == Status::budget;
  s.t = event ? s.now.state.t : t;
  if (!event) move_to(t);
  return event;
}

void CoSimulation::check_outcome(const Outcome& outcome) const {
  if (outcome.status != Status::finished && outcome.status != Status::budget) throw RunEnded(outcome.message);
}

const CoSimulationState& CoSimulation::state() {
  if (s.parameters_changed) apply_parameters(); // its states are those of one machine
  return s;
}

// Outputs are affine functions of the inputs as long as modes stay, so that a difference has the error of rounding alone.
Vector CoSimulation::directional_derivative(const List<Index>& of_outputs, const List<Index>& by_inputs,
                                            const Vector& seed) {
  constexpr double share =
      1e-6; // of the size of an input, which is also the rounding's share of a difference's error
  settle();
  double step = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < by_inputs.size(); ++k) {
    const double size = std::abs(s.greatest(by_inputs[k]));
    if (seed(k) != 0.0) step = std::min(step, share * (size > 0.0 ? size : 1.0) / std::abs(seed(k)));
  }
  Vector difference = Vector::Zero(of_outputs.size());
  if (!std::isfinite(step)) return difference;
  const CoSimulationState here = s;
  for (const double side : {1.0, -1.0}) {
    for (Index k = 0; k < by_inputs.size(); ++k)
      set_input(by_inputs[k], here.inputs(by_inputs[k]) + side * step * seed(k));
    for (Index k = 0; k < of_outputs.size(); ++k) difference(k) += side * output(of_outputs[k]);
    set_state(here);
  }
  return difference / (2.0 * step);
}

void CoSimulation::set_state(CoSimulationState given) {
  const bool same_machine = compiled && given.parameters == compiled_parameters && given.rtol == s.rtol;
  const bool same_sizes = same_machine && s.started && given.greatest == s.greatest;
  s = std::move(given);
  samples.reset();
  ahead = {}, expects_change = false;
  if (!same_machine) compiled.reset();
  if (!s.started) return;
  compile_machine();
  System& sys = compiled->system;
  inputs->write(sys, s.greatest, s.held);
  if (!same_sizes) size_states(sys);
  check(sys, s.before.state), check(sys, s.now.state);
  if (runner && !sys.smooth)
    runner->signals_changed();
  else
    make_runner();
}

} // namespace stickslip
