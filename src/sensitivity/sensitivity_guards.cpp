// Guards of a run whose parameters change: when they fire, and whether others are at zero with them.
#include "sensitivity/sensitivity.hpp"
#include "sensitivity/thresholds.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double grazing_rate =
    1e-9; // of a guard's size in the machine's time, as the slowest rebound of an impact
constexpr double guard_at_zero = 1e-11; // of a guard's size: it is zero
constexpr double rounded_move = 1e-10;  // of the move of the states in their sizes: a guard does not move

// Only the side of a velocity changes, and nothing with it.
bool is_side_alone(const System& sys, const Guard& g) {
  return g.kind == GuardKind::velocity_reversal && has_no_jump(sys.friction[g.friction]) &&
         !has_vertical_tangent(sys.friction[g.friction].law);
}

// Differences of large derivatives are rounded: what is zero by construction, as the velocity of an element that leaves
// rest, is zero to within that. `size`: of the parameter.
bool is_moved(const GuardAnswer& guard, Index parameter, double size) {
  return std::abs(guard.derivative(parameter)) >
         guard.size * std::max(unmoved / size, rounded_move * guard.speed(parameter));
}

// Its quantity was held at zero until this instant, in neighbouring runs as well.
bool was_held(const Jump& jump, const Guard& g) {
  if (!jump.impulses.empty()) return false;
  const GuardValue of = g.traits().value;
  if (g.friction >= 0) return of == GuardValue::velocity && jump.before.friction[g.friction].sticks();
  return g.contact >= 0 && of == GuardValue::gap && jump.before.contact[g.contact] == Mode::closed;
}

} // namespace

std::string name_of_guard(const System& sys, const Guard& g) {
  if (g.friction >= 0) return sys.friction[g.friction].name;
  if (g.contact >= 0) return sys.contacts[g.contact].name;
  if (g.flank >= 0) return sys.springs[sys.flanks[g.flank].spring].name;
  return {};
}

bool Sensitivity::grazes(const Passage& p, const Segment& segment) {
  const Modes& modes = segment.regime->modes;
  const double t1 = std::min(segment.t1, run->t_end);
  const List<Guard>& guards = machine->regime(modes).guards;
  if (std::all_of(guards.begin(), guards.end(),
                  [&](const Guard& g) { return is_side_alone(machine->system(), g); }))
    return false;
  for (const Touches::Touch& touch : variation->touches.between(*run, segment, segment.t0, t1, p.before)) {
    if (is_side_alone(machine->system(), guards[touch.guard])) continue;
    Tangents there = now.S.topRows(machine->system().nx);
    variation->advance(*run, segment, touch.t, there, now.shift.size() > 0 ? &now.shift : nullptr);
    Vector x(there.rows());
    run->state_at(segment, touch.t, x.data());
    const GuardAnswer answer = variation->guards.along(modes, touch.guard, segment.t0, touch.t, x, there,
                                                       Vector::Zero(by.size()), p.before);
    for (Index j = 0; j < by.size(); ++j) {
      if (!is_moved(answer, j, size_of(j))) continue;
      const Guard& guard = guards[touch.guard];
      const std::string who = name_of_guard(machine->system(), guard);
      valid_until = touch.t;
      reason = (who.empty() ? "" : "'" + who + "': ") + "grazing, which depends on '" + parameters[j] + "'";
      return true;
    }
  }
  return false;
}

// When the guards fire.
std::string Sensitivity::move_guards(const Passage& p, double frame) {
  Vector& moves = now.moves;
  const Index nx = machine->system().nx;
  const Vector known = moves;
  const Regime& r = machine->regime(p.jump.before);
  bool first = true;
  for (const Guard& g : p.fired) {
    const auto at = std::find(r.guards.begin(), r.guards.end(), g);
    if (at == r.guards.end()) return "an event with an unknown guard";
    const GuardAnswer answer =
        variation->guards.along(p.jump.before, at - r.guards.begin(), frame, p.jump.t, p.jump.x_before,
                                now.S.topRows(nx), Vector::Zero(by.size()), p.before);
    Vector own = Vector::Zero(by.size());
    // The last rebound of an accumulation approaches as slowly as its threshold demands.
    const bool last = answer.rate != 0.0 && ends_rebounds(machine->system(), p);
    if (!last && !is_crossed(answer.rate, answer.size, p.before.time_scale)) {
      if (g.traits().of_flow && now.rate_jump * p.before.time_scale <= unmoved) continue;
      for (Index j = 0; j < by.size(); ++j)
        if (is_moved(answer, j, size_of(j)) || answer.size == 0.0) return "grazing";
    } else {
      own = -answer.derivative / answer.rate;
    }
    const Vector& other = p.scheduled ? known : moves;
    if (!first || p.scheduled)
      for (Index j = 0; j < by.size(); ++j)
        if (separates(own(j), other(j), now.rate_jump, size_of(j), p.before.time_scale))
          return "events at one instant whose order changes with '" + parameters[j] + "'";
    if (!p.scheduled) moves = own;
    first = false;
  }
  return {};
}

bool separates(double move, double other, double rate_jump, double size, double time_scale) {
  const double apart = std::abs(move - other);
  return apart > same_move * (std::abs(move) + std::abs(other)) + unmoved * time_scale / size &&
         apart * rate_jump > same_move / size;
}

bool is_crossed(double rate, double size, double time_scale) {
  return std::abs(rate) * time_scale > grazing_rate * size;
}

// After an instant: held elements stay held, and no other guard is at zero and moved by the parameters.
std::string Sensitivity::check(const Passage& p, bool start) {
  const Index nx = machine->system().nx;
  const Modes& modes = p.jump.after;
  const Regime& r = machine->regime(modes);
  const Vector& x = p.jump.x_after;
  const double t = p.jump.t;
  const Vector values = machine->guards(modes, t, t, x.data());
  Vector rates, force;
  machine->move(modes, t, t, x.data(), rates, force);
  const double* const s = machine->signals(t, t).data();
  for (Index k = 0; k < r.guards.size(); ++k) {
    const double size =
        guard_size(machine->system(), r, r.guards[k], t, x.data(), s, force.data(), p.before.nominal);
    if (is_side_alone(machine->system(), r.guards[k]) || (!start && was_held(p.jump, r.guards[k]))) continue;
    if (!(size > 0.0) || !(std::abs(values(k)) <= guard_at_zero * size)) continue;
    const GuardAnswer answer = variation->guards.along(
        modes, k, t, t, x, now.S.topRows(nx) + now.fp * now.moves.transpose(), now.moves, p.before);
    for (Index j = 0; j < by.size(); ++j)
      if (is_moved(answer, j, size_of(j)))
        return start ? "a start exactly at an event, which depends on '" + parameters[j] + "'"
                     : "simultaneous events that '" + parameters[j] + "' separates";
  }
  return {};
}

} // namespace stickslip
