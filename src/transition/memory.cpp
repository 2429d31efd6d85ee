#include "transition/memory.hpp"

#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/free.hpp"
#include "dynamics/friction_force.hpp"
#include "model/relay_form.hpp"
#include "transition/automaton_states.hpp"
#include "transition/mode_changes.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr std::int8_t most_brief = 10; // in a row

// Initial segment of a load table.
void start_load(Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  const auto value_at = [&](const Form& f) { return value(f, at.x(), at.s()); };
  if (p.load_shift >= 0) {
    double& shift = at.x()[p.load_shift];
    shift = 0.0;
    shift = p.load_period * std::floor(value_at(p.load_corners[0]) / p.load_period);
  }
  std::int16_t& stretch = at.mode(i).load_stretch;
  stretch = 0;
  for (const Form& f : p.load_corners)
    if (value_at(f) >= 0.0) ++stretch;
  if (p.load_shift >= 0)
    stretch = std::clamp(stretch, std::int16_t(1), static_cast<std::int16_t>(p.load_corners.size() - 1));
}

// A load force that jumps, with an output or an applied force, leaves its segment without passing a corner.
void follow_load(Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  if (p.load_shift >= 0) return;
  std::int16_t& stretch = at.mode(i).load_stretch;
  const auto beyond = [&](Index corner, double side) {
    const Form& f = p.load_corners[corner];
    return side * value(f, at.x(), at.s()) > tolerance::residual * size_of(f, at.state->nominal, at.s());
  };
  while (stretch < p.load_corners.size() && beyond(stretch, 1.0)) ++stretch;
  while (stretch > 0 && beyond(stretch - 1, -1.0)) --stretch;
}

// Side of a form that is zero within rounding on which a relay starts: that of its first derivative that is not zero,
// with other forces and signals as they are. Between two thresholds it starts with the nearer one.
int side_at_start(Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  const auto beyond = [&](Index threshold, double side) {
    const Form& f = p.crests[threshold];
    return side * value(f, at.x(), at.s()) > tolerance::residual * size_of(f, at.state->nominal, at.s());
  };
  if (beyond(1, 1.0)) return 1;
  if (beyond(0, -1.0)) return -1;
  Vector rate = at.linear().A * at.state->base_x + at.linear().S * at.signals;
  const bool one = p.crests[0].s == p.crests[1].s; // threshold
  for (Index k = 0; k < at.sys.nx && one; ++k, rate = at.linear().A * rate)
    if (const double moves = p.way.x.dot(rate);
        std::abs(moves) > tolerance::rounding * p.way.x.cwiseAbs().dot(rate.cwiseAbs()))
      return moves > 0.0 ? 1 : -1;
  return value(p.way, at.x(), at.s()) > 0.0 ? 1 : -1;
}

// Nearest seat of a detent, and the side of it on which a motion starts.
void start_seat(Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  if (!p.has_seat()) return;
  const auto way = [&] { return value(p.way, at.x(), at.s()); };
  if (p.seat >= 0) {
    at.x()[p.seat] = 0.0;
    at.x()[p.seat] = p.pitch * std::round(way() / p.pitch);
  }
  if (only_switches(p)) {
    at.mode(i).mode = slip(side_at_start(at, i));
    return;
  }
  const double x = way();
  const bool seated = std::abs(x) <= tolerance::residual * size_of(p.way, at.state->nominal, at.s());
  at.mode(i).mode = seated ? Mode::stick : slip(x > 0.0 ? 1 : -1);
}

// Without a load an element is free. An unloaded surface does not take over a lagged force at a stop.
void release(Instant& at, Index i, const List<Guard>& fired) {
  const Friction& p = at.sys.friction[i];
  FrictionMode& now = at.mode(i);
  const auto stops_on_surface = [&] {
    const auto stops = [i](const Guard& g) { return g.kind == GuardKind::slip_ends && g.friction == i; };
    return at.presliding(i) && std::any_of(fired.begin(), fired.end(), stops);
  };
  const bool free = has_no_load(at.sys, p, at.t) && (!lag_acts(p, now, at.x()) || stops_on_surface());
  if (free && !now.free) now.enter(Mode::slip_forward);
  now.free = free;
}

// States of the automaton after a mode change of an element that touches. Idempotent at one instant.
void change(Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  double* x = at.x();
  const int was = at.was(i).direction(), is = at.mode(i).direction();
  const double lagged = p.lagged >= 0 ? x[p.lagged] : 0.0;
  change_mode(p, was, is, at.v(i), at.load(i), at.t, x);
  if (held_by_lag(p, at.before, i) == is && is != 0)
    x[p.lagged] = lagged; // it continues from the lagged force
}

// At rest by more than its static limits.
bool keeps_hold(const Instant& at, Index i) {
  return at.mode(i).hold == Hold::firmly || held_by_lag(at.sys.friction[i], at.state->modes, i) != 0;
}

void count_towards_rest(Instant& at, Index i) {
  if (!STICKSLIP_RULE("brief")) return;
  std::int8_t& brief = at.state->slips.brief[i];
  if (brief < most_brief) ++brief;
  if (brief == most_brief) at.mode(i).hold = Hold::firmly;
}

} // namespace

void switch_laws(Instant& at, const List<Guard>& fired) {
  for (const Guard& g : fired) switch_flow(at.sys, at.state->modes, g, at.x());
  for (Index i = 0; i < at.sys.friction.size(); ++i) {
    if (at.starting)
      start_load(at, i), start_seat(at, i);
    else
      follow_load(at, i);
    release(at, i, fired);
  }
}

void begin_memory(Instant& at, Index i, int mode, double speed) {
  const auto start = at.load_begins(i) ? start_under_load : start_in_mode;
  start(at.sys.friction[i], mode, speed, at.load(i), at.t, at.x());
}

// If friction does not fall with the speed, a motion can creep to rest at its static level without end, until
// integration errors decide between stick and slip thousands of times a second. A slip that lasted less than three of
// the shortest time constants of the machine and stayed (as a parabola) below 1e-6 of the velocities so far is too
// short; after ten of these in a row the element sticks, up to 1e-6 above its limit. A longer slip resets the count.
void count_brief_slip(Instant& at, Index i, bool struck) {
  const double lasted = at.t - at.state->slips.left(i);
  bool is_brief = at.sys.friction[i].traits.switches == 0 && lasted < 3.0 * at.state->time_scale && !struck;
  is_brief = is_brief &&
             0.25 * std::abs(at.acceleration(i, at.before)) * lasted < tolerance::negligible * at.v_size(i);
  if (is_brief)
    count_towards_rest(at, i);
  else
    at.state->slips.brief[i] = 0;
}

void carry_presliding(Instant& at, const ActiveSet& active) {
  for (Index i = 0; i < at.sys.friction.size() && !at.starting; ++i) {
    const FrictionMode &was = at.was(i), &is = at.mode(i);
    const bool keeps_force = at.set_valued(i) && (at.presliding(i) || !active.rests[i]);
    if (keeps_force && was.mode != is.mode && !was.open() && !is.open() && !at.load_begins(i)) change(at, i);
  }
}

bool count_slips(Instant& at, const List<Guard>& fired, const ActiveSet& active) {
  const List<Friction>& friction = at.sys.friction;
  for (const Guard& g : fired) // reached its limit, but would slip in the opposite direction
    if (g.kind == GuardKind::breaks_away && !at.presliding(g.friction) && at.mode(g.friction).sticks() &&
        friction[g.friction].traits.switches == 0)
      count_towards_rest(at, g.friction);
  bool accumulated = false;
  for (Index i = 0; i < friction.size(); ++i) {
    FrictionMode& now = at.mode(i);
    const bool rest = now.sticks();
    if (!rest && (active.rests[i] || at.was(i).sticks())) // also one that came to rest and leaves at once
      at.state->slips.left(i) = at.t;
    // Bristles of a law with sticking start anew after each rest.
    if (!at.set_valued(i) || at.presliding(i)) continue;
    const bool changed = now.mode != at.was(i).mode, firm = now.hold == Hold::firmly;
    const bool keeps = rest && (now.force_side() != 0 || keeps_hold(at, i));
    accumulated = accumulated || (rest && changed && firm);
    if (changed ? !keeps : !rest && firm) at.set_mode(i, now.mode);
  }
  return accumulated;
}

// The automaton's states: the table is in automaton_states.hpp.
void enter_modes(Instant& at) {
  double* x = at.x();
  for (Index i = 0; i < at.sys.friction.size();
       ++i) { // for bristles and surfaces of elements that open or are released
    const Friction& p = at.sys.friction[i];
    if (at.mode(i).free) let_go(p, x);
    if (!at.mode(i).open()) continue;
    for (Index k = 0; k < p.traits.states; ++k) x[p.states + k] = 0.0;
    if (p.surface_travel >= 0) x[p.surface_travel] = 0.0;
  }
  for (Index i = 0; i < at.sys.friction.size(); ++i) {
    if (!at.set_valued(i) || at.sys.friction[i].automaton == Automaton{}) continue;
    const FrictionMode& was = at.was(i);
    FrictionMode& is = at.mode(i);
    if (is.open()) continue;
    if (at.starting || was.open() || at.load_begins(i))
      begin_memory(at, i, is.direction(), at.v(i));
    else if (was.mode != is.mode)
      change(at, i);
    if (at.presliding(i) && was.mode != is.mode) is.hold = Hold::by_limit;
  }
}

} // namespace stickslip
