#include "run/present_machine.hpp"

#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "friction/undefined_force.hpp"
#include "model/smooth.hpp"

namespace stickslip {

namespace {

// Formula of a friction law that is undefined at the state.
std::string undefined_law(const System& sys, const State& state, Tangent* here) {
  const double* const x = state.base_x.data();
  Vector s(sys.ns());
  signal_values(sys, state.base_t, s.data());
  if (here != nullptr) here->write(s.data());
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = state.modes.friction[i];
    if (!p.traits.searches || now.open() || now.free || now.sticks()) continue;
    const std::string what = undefined_force(p.law, relative_velocity(p, x, s.data()), now.direction(),
                                             normal_load(p, now.load_stretch, x, s.data()),
                                             p.states >= 0 ? x + p.states : nullptr);
    if (!what.empty()) return "law of '" + p.name + "': " + what;
  }
  return {};
}

} // namespace

PresentMachine::PresentMachine(const System& of, RegimeCache& regimes)
    : here(of.smooth ? std::make_unique<Tangent>(of) : nullptr), machine(of), kept(regimes),
      sys(here ? here->system : of), cache(here ? own : regimes) {}

void PresentMachine::move_to(const State& state) {
  if (!here) return;
  here->move_to(state);
  here->size_accelerations();
  if (here->bare() && regime != nullptr) return;
  cache.clear();
  regime = nullptr;
}

const Regime& PresentMachine::enter(const State& state) {
  move_to(state);
  if (!regime || regime->modes != state.modes) regime = &cache.get(sys, state.modes);
  return *regime;
}

std::string PresentMachine::undefined(const State& state) {
  if (std::string what = undefined_law(sys, state, here.get()); !what.empty() || !here) return what;
  move_to(state);
  if (std::string what = here->complaint(); !what.empty()) return what;
  const double tau = tolerance::negligible * state.time_scale;
  const Index n = sys.n_coordinates;
  Vector ahead = state.base_x;
  ahead.head(n) += tau * ahead.segment(n, n);
  here->move_to(state.base_t + tau, ahead.data(), state.modes.sides);
  std::string what = here->complaint();
  move_to(state);
  return what;
}

void PresentMachine::meet_constraints(const Modes& modes, double t, Vector& x) {
  if (here) here->project(t, x, modes);
  keep_constraints(machine, t, x.data());
}

} // namespace stickslip
