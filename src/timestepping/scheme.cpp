#include "timestepping/scheme.hpp"

#include "dynamics/constraints.hpp"
#include "dynamics/free.hpp"
#include "dynamics/tangent.hpp"

#include <cmath>

namespace stickslip {

Scheme::Scheme(const System& system, Tangent* of, const Options& options)
    : sys(of ? of->system : system), tangent(of), rebound(options.rebound_threshold),
      map(sys, of, options.max_step, options.theta), problem(map) {}

bool Scheme::step(State& state, Vector& x1) {
  const Vector& x0 = state.base_x;
  const double end = state.base_t + map.step();
  map.begin_step(state);
  map.advance(x0, x1);
  problem.find_active(state);
  const Vector before = map.velocities_at_start(x0);
  add_smooth_forces(state, before, x1);
  const Vector free = map.velocities_at_end(x1);
  jump.begin(state, Occasion::step, {});
  if (!problem.solve(state, before, free)) return false;
  x1.noalias() += map.columns * problem.impulses();
  if (tangent)
    tangent->keep_constraints(end, x1);
  else
    keep_constraints(sys, end, x1.data());
  const Vector after = free + map.G * problem.impulses();
  label_contacts(state, after);
  label_elements(state, after);
  note_impulses(before, after);
  jump.t = end;
  jump.rule = problem.choice().rule;
  jump.solutions = problem.choice().solutions;
  jump.ambiguous = jump.rule == Rule::ambiguous;
  if (tangent) choose_sides(state, end, x1);
  jump.after = state.modes;
  jump.x_after = x1;
  return true;
}

// Laws without a jump under a given load are forces like any other, taken from the start of the step.
void Scheme::add_smooth_forces(const State& state, const Vector& before, Vector& x1) const {
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    if (p.contact >= 0 || p.traits.sticks) continue;
    const Index row = sys.contacts.size() + i;
    const double v = before(row);
    const double N = map.load(p);
    const Force f = evaluate(p.law, v, v < 0.0 ? -1 : 1, state.modes.friction[i].branch, nullptr, nullptr, N);
    x1 -= map.columns.col(row) * (map.step() * (f.dry * N + f.viscous));
  }
}

void Scheme::choose_sides(State& state, double t, const Vector& x) const {
  tangent->move_to(t, x.data(), {});
  for (Index k = 0; k < state.modes.sides.size(); ++k)
    state.modes.sides[k] = tangent->formulas.condition(k) >= 0.0 ? Sign{1} : Sign{-1};
  follow_sides(sys, state.modes);
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (const Contact& c = sys.contacts[j];
        c.yields() && c.friction >= 0 && state.modes.contact[j] == Mode::open)
      state.modes.friction[c.friction].mode = Mode::open;
}

void Scheme::label_contacts(State& state, const Vector& after) const {
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (!sys.contacts[j].yields()) state.modes.contact[j] = Mode::open;
  const List<Index>& active = problem.active_contacts();
  for (Index k = 0; k < active.size(); ++k) {
    const Index j = active[k];
    if (problem.mode_of_contact(k) == Mode::closed &&
        std::abs(after(j)) <= rebound * map.velocity_size(j, state.nominal))
      state.modes.contact[j] = Mode::closed;
  }
}

void Scheme::label_elements(State& state, const Vector& after) const {
  const double end = state.base_t + map.step();
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    FrictionMode& now = state.modes.friction[i];
    now.free = has_no_load(sys, p, end);
    if (p.contact >= 0 && state.modes.contact[p.contact] == Mode::open)
      now.mode = Mode::open;
    else if (!p.traits.sticks || now.free)
      now.mode = slip(after(sys.contacts.size() + i) < 0.0 ? -1 : 1);
  }
  const List<Index>& active = problem.active_elements();
  for (Index k = 0; k < active.size(); ++k) {
    const Friction& p = sys.friction[active[k]];
    FrictionMode& now = state.modes.friction[active[k]];
    const Mode found = problem.mode_of_element(k);
    const bool acts = p.contact < 0 ? found != Mode::open : state.modes.contact[p.contact] == Mode::closed;
    if (p.traits.sticks && !now.free && acts) now.mode = found;
  }
}

// Impulses of contacts that a step has closed: their work follows from the mean velocity of the step.
void Scheme::note_impulses(const Vector& before, const Vector& after) {
  const Vector& impulse = problem.impulses();
  const auto taken = [&](Index row) { return -impulse(row) * 0.5 * (before(row) + after(row)); };
  const auto by_wall = [&](Index row) { return -impulse(row) * map.wall_velocity(row); };
  jump.impacts = 1;
  for (Index j = 0; j < sys.contacts.size(); ++j) {
    if (jump.before.contact[j] != Mode::open || !(impulse(j) > 0.0)) continue;
    Impulse one;
    one.contact = j, one.normal = impulse(j), one.loss = taken(j), one.wall_work = by_wall(j);
    if (sys.contacts[j].friction >= 0) {
      const Index row = sys.contacts.size() + sys.contacts[j].friction;
      one.tangential = -impulse(row);
      one.loss += taken(row);
      one.wall_work += by_wall(row);
    }
    jump.add(one);
  }
}

} // namespace stickslip
