#include "run/present_machine.hpp"

#include "dynamics/constraints.hpp"
#include "model/smooth.hpp"

namespace stickslip {

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
  if (!here) return {};
  constexpr double just = 1e-6; // of the time scale
  move_to(state);
  if (std::string what = here->complaint(); !what.empty()) return what;
  const double tau = just * state.time_scale;
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
