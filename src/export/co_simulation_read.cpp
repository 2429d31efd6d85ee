// Outputs of a co-simulation at its communication point, as samples of a run that holds this point alone.
#include "export/co_simulation.hpp"

#include <limits>

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
  const auto first_output = [&] {
    Index row = part;
    for (Index b = 0; b < i; ++b) row += sys.loops[b].block.outputs();
    return row;
  };
  switch (from) {
  case Read::state:
    return s.now.state.x(i);
  case Read::rate:
    return present().rates()(i, 0);
  case Read::signal:
    return value(sys.signals[i], s.now.state.t);
  case Read::force:
    return present().forces()(i, 0);
  case Read::velocity:
    return present().velocities()(i, 0);
  case Read::load:
    return present().loads()(i, 0);
  case Read::mode:
    return present().modes()(i, 0);
  case Read::limit:
    return (present().forces()(i, 0) < 0.0 ? present().lower_limits() : present().upper_limits())(i, 0);
  case Read::normal_force:
    return present().forces()(sys.friction.size() + i, 0);
  case Read::contact_mode:
    return present().contact_modes()(i, 0);
  case Read::gap:
    return present().gaps()(i, 0);
  case Read::gap_rate:
    return present().gap_rates()(i, 0);
  case Read::normal_impulse:
    return s.now.impulses(i);
  case Read::spring_force:
    return present().spring_forces()(i, 0);
  case Read::elongation:
    return present().elongations()(i, 0);
  case Read::elongation_rate:
    return present().elongation_rates()(i, 0);
  case Read::spring_mode:
    return present().spring_modes()(i, 0);
  case Read::constraint_force:
    return present().constraint_forces()(i, 0);
  case Read::output:
    return present().loops().output(first_output(), 0);
  case Read::saturation:
    return present().loops().mode(first_output(), 0);
  case Read::reference:
    return present().loops().reference(i, 0);
  case Read::error:
    return present().loops().error(i, 0);
  case Read::constraint_impulse: // refused by find_output
  case Read::sum:
    break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

} // namespace stickslip
