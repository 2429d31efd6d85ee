#include "run/present_machine.hpp"

#include "core/number_text.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "friction/undefined_force.hpp"
#include "model/smooth.hpp"

#include <array>
#include <cmath>

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
    const std::string what = undefined_force(p.law, relative_velocity(p, x, s.data()), now.force_side(),
                                             normal_load(p, now.load_stretch, x, s.data()),
                                             p.states >= 0 ? x + p.states : nullptr);
    if (!what.empty()) return "law of '" + p.name + "': " + what;
  }
  return {};
}

// Friction without a jump whose force changes within the shortest time, and the velocity over which it does.
std::string steep_friction(const System& sys, const State& state, Tangent* here) {
  constexpr double too_fast = 1e-9; // of the time scale
  const double* const x = state.base_x.data();
  Vector s(sys.ns());
  signal_values(sys, state.base_t, s.data());
  if (here != nullptr) here->write(s.data());
  const Friction* steepest = nullptr;
  double fastest = 1.0 / (too_fast * state.time_scale), at = 0.0, within = 0.0;
  std::array<double, max_elements> dry_z, zdot_v;
  std::array<double, max_elements * max_elements> zdot_z;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = state.modes.friction[i];
    if (p.traits.sticks || p.compensator || now.open() || now.free) continue;
    const double v = relative_velocity(p, x, s.data()), load = normal_load(p, now.load_stretch, x, s.data());
    const Slopes slopes =
        linearise(p.law, v, now.force_side(), now.branch, p.states >= 0 ? x + p.states : nullptr, load,
                  dry_z.data(), zdot_v.data(), zdot_z.data());
    const double slope = std::abs(slopes.dry_v * load + slopes.viscous_v);
    const double rate = slope * std::abs(p.velocity.x.dot(p.effect));
    if (!(rate > fastest)) continue;
    steepest = &p, fastest = rate, at = v;
    within = p.break_away > 0.0 ? p.break_away * load / slope : 0.0;
  }
  if (steepest == nullptr) return {};
  return "the friction of '" + steepest->name +
         "' is too steep for double precision: at v = " + number_text(at) + " it settles within " +
         number_text(1.0 / fastest) + " s" +
         (within > 0.0 ? " and changes wholly over " + number_text(within) + " of velocity" : "") +
         ". Use a law with a jump at v = 0, such as Coulomb or a FormulaLaw with levels, or one that is "
         "wider";
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
  if (!sys.smooth->reactions.empty()) {
    Scratch w(sys);
    Vector s(sys.ns());
    signal_values(sys, state.base_t, s.data());
    follow_reactions(sys, state.modes, state.base_t, state.base_x.data(), s.data(), w);
    if (std::string what = w.tangent(sys).complaint(); !what.empty()) return what;
  }
  const double tau = tolerance::negligible * state.time_scale;
  const Index n = sys.n_coordinates;
  Vector ahead = state.base_x;
  ahead.head(n) += tau * ahead.segment(n, n);
  here->move_to(state.base_t + tau, ahead.data(), state.modes.sides);
  std::string what = here->complaint();
  move_to(state);
  return what;
}

std::string PresentMachine::steepness(const State& state) {
  std::string what = here ? here->steepness() : std::string{};
  return what.empty() ? steep_friction(sys, state, here.get()) : what;
}

void PresentMachine::close_gaps(State& state, const List<Guard>& fired) {
  const Index n = sys.n_coordinates;
  for (const Guard& g : fired) {
    if (g.kind != GuardKind::closes) continue;
    move_to(state);
    Vector s(sys.ns());
    signal_values(sys, state.base_t, s.data());
    if (here) here->write(s.data());
    const Contact& c = sys.contacts[g.contact];
    const auto moved = c.effect.segment(n, n);
    const double per_force = c.gap.x.head(n).dot(moved);
    if (per_force > 0.0)
      state.base_x.head(n) -= moved * (value(c.gap, state.base_x.data(), s.data()) / per_force);
  }
}

void PresentMachine::meet_constraints(const Modes& modes, double t, Vector& x) {
  if (here) here->project(t, x, modes);
  keep_constraints(machine, t, x.data());
}

} // namespace stickslip
