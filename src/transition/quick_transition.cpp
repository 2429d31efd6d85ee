#include "transition/quick_transition.hpp"

#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"
#include "transition/rules.hpp"
#include "transition/sign_after.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

QuickTransition::QuickTransition(const System& system, RegimeCache& c, Scratch& shared)
    : sys(system), cache(c), scratch(shared) {
  usable = sys.contacts.empty() && sys.saturations == 0;
  for (const Friction& p : sys.friction) {
    if (p.compensator) usable = false;
    plain.push_back(!p.prescribed && p.traits.sticks && p.traits.affine && p.contact < 0 && p.states < 0 &&
                    p.load_per_force == 0.0 && p.load_parts.empty() && p.automaton == Automaton{});
    effect_on_v.push_back(p.velocity.x.dot(p.effect));
  }
  for (Index i = 0; i < sys.signals.size(); ++i)
    if (!is_constant(sys.signals[i])) varying.push_back(i);
  s.resize(sys.ns());
  x = slope = Vector::Zero(sys.nx);
  force = scratch.force;
  series = Matrix::Zero(sys.nx, series_terms);
  signal_terms = Matrix::Zero(sys.ns(), series_terms);
  signals_changed();
}

void QuickTransition::signals_changed() {
  signal_values(sys, 0.0, s.data());
  signal_terms.col(0) = s;
}

double QuickTransition::velocity(const Friction& p, const Vector& at) const {
  double v = 0.0;
  for (Index i = sys.n_coordinates; i < sys.plant_states; ++i) v += p.velocity.x(i) * at(i);
  return v + p.velocity.s.dot(s);
}

// Only `element` may rest; every other element has a velocity with the sign of its mode.
bool QuickTransition::others_move(const State& state, Index element) const {
  for (Index j = 0; j < sys.friction.size(); ++j) {
    if (j == element) continue;
    const Friction& p = sys.friction[j];
    if (state.modes.friction[j].free) continue;
    const int mode = state.modes.friction[j].direction();
    if (mode == 0) return false;
    if (!(mode * velocity(p, state.base_x) > tolerance::residual * velocity_size(p, state.nominal)))
      return false;
  }
  return true;
}

const Regime* QuickTransition::next(const Regime& now, Index element, Mode to) {
  for (const Edge& e : edges)
    if (e.from == &now && e.element == element && e.to == to) return e.next;
  if (edges.size() >= 64) edges.clear(); // a machine with so many combinations rarely repeats them
  Modes modes = now.modes;
  modes.friction[element].enter(to);
  edges.push_back({&now, element, to, &cache.get(sys, modes)});
  return edges.back().next;
}

// k-th Taylor coefficient of a guard of an affine regime.
double QuickTransition::term(const Regime& r, Index guard, int k) {
  for (; known <= k; ++known) {
    const bool driven = known == 1 || !varying.empty();
    for (Index i = 0; i < sys.nx; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < sys.nx; ++j) sum += r.Ax(i, j) * series(j, known - 1);
      if (driven)
        for (Index j = 0; j < sys.ns(); ++j) sum += r.As(i, j) * signal_terms(j, known - 1);
      series(i, known) = sum / known;
    }
  }
  double sum = 0.0;
  for (Index i = 0; i < sys.nx; ++i) sum += r.Gx(guard, i) * series(i, k);
  if (k == 0 || !varying.empty())
    for (Index i = 0; i < sys.ns(); ++i) sum += r.Gs(guard, i) * signal_terms(i, k);
  return sum;
}

// The relative velocity stays zero, so the element does not slip.
bool QuickTransition::stands_still(const Regime& r, Index guard) {
  for (int k = 1; k < known_terms(1); ++k)
    if (term(r, guard, k) != 0.0) return false;
  return true;
}

// No guard of this element fires just after t, starting from `x`.
bool QuickTransition::holds(const Regime& r, Index element, const State& state, double t) {
  const Friction& p = sys.friction[element];
  known = 1;
  series.col(0) = x;
  zeros.assign(r.guards.size(), -1);
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (g.friction != element) continue;
    SignAfter after;
    if (g.kind == GuardKind::slip_ends) {
      const auto from_zero = [&](int j) { return j == 0 ? 0.0 : term(r, k, j); };
      after = sign_after(from_zero, velocity_size(p, state.nominal), state.time_scale, t, known_terms(1));
      if (after.sign == 0 && stands_still(r, k)) return false;
    } else if (g.kind == GuardKind::breaks_away) {
      const Interval limits = stick_limits(sys, p, 1, t, x.data(), s.data(), nullptr);
      // The holding force is the mean of both estimates: each guard is the distance to one limit.
      const double held = g.direction > 0 ? term(r, k, 0) + limits.hi : limits.lo - term(r, k, 0);
      const double size = std::abs(limits.lo) + std::abs(limits.hi) + std::abs(held);
      after = sign_after([&](int j) { return term(r, k, j); }, size, state.time_scale, t, known_terms(0));
    } else {
      return false;
    }
    if (after.sign > 0) return false;
    zeros[k] = after.order;
  }
  return true;
}

bool QuickTransition::apply(const Regime& now, State& state, const Guard& fired, Jump& jump) {
  if (!usable || !now.affine || (fired.kind != GuardKind::slip_ends && fired.kind != GuardKind::breaks_away))
    return false;
  const auto i = fired.friction;
  if (!plain[i]) return false;
  const Friction& p = sys.friction[i];
  const double t = state.base_t;
  for (Index k : varying) {
    std::array<double, series_terms> c{};
    taylor(sys.signals[k], t, series_terms, c.data());
    for (Index j = 0; j < series_terms; ++j) signal_terms(k, j) = c[j];
    s(k) = c[0];
  }
  if (!others_move(state, i)) return false;
  x = state.base_x;
  const double speed = velocity(p, x);
  if (speed != 0.0) x -= p.effect * (speed / effect_on_v[i]);

  Mode to = fired.kind == GuardKind::breaks_away ? slip(fired.direction) : Mode::stick;
  Rule rule = to != Mode::stick ? Rule::static_to_kinetic : Rule::unique;
  const Regime* chosen = next(now, i, to);
  if (to == Mode::stick) {
    const Regime* stick = chosen;
    if (!stick->affine || stick->shared) return false;
    // The holding force and the limits of the surface.
    const Interval limits = stick_limits(sys, p, 1, t, x.data(), s.data(), nullptr);
    double held = 0.0;
    for (Index j = 0; j < sys.nx; ++j) held += stick->Lx(0, j) * x(j);
    for (Index j = 0; j < sys.ns(); ++j) held += stick->Ls(0, j) * s(j);
    if (!stick->sliding.empty()) { // friction forces of the sliding elements
      signal_values(sys, t, scratch.s.data());
      evaluate(sys, *stick, t, x.data(), scratch.s.data(), slope.data(), force.data(), scratch);
      held = force(fired.friction);
    }
    const double g = -effect_on_v[i], free = g * held;
    const std::optional<Mode> goes = contact::impending_motion(limits.lo, limits.hi, g, free, std::abs(free));
    if (!goes) return false;
    to = *goes;
    if (to != Mode::stick) {
      rule = Rule::static_to_kinetic;
      chosen = next(now, i, to);
    }
  }
  if (!chosen->affine || !holds(*chosen, i, state, t)) return false;

  state.base_x = x;
  state.modes.friction[i] = chosen->modes.friction[i];
  state.after_transition = true;
  state.zeros = zeros;
  jump.rule = rule;
  jump.solutions = 1;
  jump.next = chosen;
  jump.changed = true;
  return true;
}

} // namespace stickslip
