// Outputs of a co-simulation at its communication point, as samples of a run that holds this point alone.
#include "export/co_simulation.hpp"
#include "export/event_indicators.hpp"
#include "run/sampled_variable.hpp"

namespace stickslip {

double CoSimulation::output(Index which) {
  apply_inputs();
  const Variable& v = *outputs[which];
  if (v.from == Read::state && v.index < compiled->system.plant_states) return s.now.state.x(v.index);
  settle();
  if (v.from != Read::sum) return read(v.from, v.index, v.part);
  double sum = 0.0;
  for (const VariableTerm& term : v.terms) sum += term.factor * read(term.from, term.index, term.part);
  return sum;
}

Index CoSimulation::state_count() {
  compile_machine();
  return compiled->system.nx;
}

Index CoSimulation::indicator_count() {
  compile_machine();
  return EventIndicators::names(compiled->system).size();
}

double CoSimulation::continuous_state(Index which) {
  settle();
  return s.now.state.x(which);
}

double CoSimulation::rate(Index which) {
  settle();
  return read(Read::rate, which, -1);
}

Samples& CoSimulation::present() {
  if (samples) return *samples;
  const State& state = s.now.state;
  auto run = std::make_shared<Trajectory>();
  run->compiled = compiled;
  run->kept = Keep::nothing;
  run->t_begin = run->t_end = state.t;
  const Regime& regime = compiled->regimes.get(compiled->system, state.modes);
  run->segments.push_back({state.t, state.t, 0.0, &regime, 0, 1, FlowKind::exact});
  run->coefficients.assign(state.x.data(), state.x.data() + state.x.size());
  samples = std::make_unique<Samples>(std::move(run), List<double>{state.t});
  return *samples;
}

double CoSimulation::read(Read from, Index i, Index part) {
  const System& sys = compiled->system;
  switch (from) {
  case Read::state:
    return s.now.state.x(i);
  case Read::signal:
    return value(sys.signals[i], s.now.state.t);
  case Read::normal_impulse: // of the whole motion, of which the samples hold the last point alone
    return s.now.impulses(i);
  default:
    return sampled_variable(present(), sys, from, i, part, 0);
  }
}

} // namespace stickslip
