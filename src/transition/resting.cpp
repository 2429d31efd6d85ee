// What rests at an instant, or moves at once: the first half of a decision.
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/free.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/regime_parts.hpp"
#include "transition/automaton_states.hpp"
#include "transition/decision.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double slow_slip = 1e-6; // of the velocities seen, see count_brief_slip()

} // namespace

void enter(FrictionMode& now, const Friction& p, Mode mode, double* x) noexcept {
  now.enter(mode);
  if (p.states >= 0 && now.slips()) on_turn(p.law, now.direction(), x + p.states);
}

// Over a corner of the load. Where its table repeats itself the last corner is the first of the next period.
void pass_corner(FrictionMode& now, const Friction& p, int direction, double* x) noexcept {
  const Index corners = p.load_corners.size();
  Index stretch = now.load_stretch + direction;
  if (p.load_shift >= 0 && (stretch == 0 || stretch == corners)) {
    stretch = direction > 0 ? 1 : corners - 1;
    x[p.load_shift] = p.load_period * (std::round(x[p.load_shift] / p.load_period) + direction);
  }
  now.load_stretch = static_cast<std::int16_t>(stretch);
}

// Where the velocity of a law without a jump changes its side, all its elements stick again.
void switch_flow(const System& sys, Modes& modes, const Guard& g, double* x) noexcept {
  if (g.friction < 0) return;
  FrictionMode& now = modes.friction[g.friction];
  const Friction& p = sys.friction[g.friction];
  switch (g.kind) {
  case GuardKind::velocity_reversal:
    return enter(now, p, slip(-now.direction()), x);
  case GuardKind::branch:
    now.branch = on_switch(p.law, g.bit, now.direction(), now.branch, x + p.states);
    return;
  case GuardKind::load_corner:
    return pass_corner(now, p, g.direction, x);
  case GuardKind::limit_again:
    now.hold = Hold::by_limit;
    return;
  default:
    return;
  }
}

// x' with all elements taken out that rest or follow a contact's force.
void Decision::free_acceleration(Vector& rate) {
  const double* x = state->base_x.data();
  const LinearPart& linear = cache.linear(sys, state->modes);
  rate.noalias() = linear.A * state->base_x;
  rate.noalias() += linear.S * sig;
  w.xdot = rate;
  for (Index i = 0; i < n; ++i) {
    if (rests[i] || contact_friction(i) || loaded_by_contact(i) || state->modes.friction[i].open()) continue;
    if (set_valued(i) && !presliding(i) && state->modes.friction[i].sticks())
      continue; // held: no force of its own
    const Friction& p = sys.friction[i];
    const double N = normal_load(p, state->modes.friction[i].load_stretch, x, sig.data());
    const ElementForce<double> f = friction_force(p, state->modes.friction[i].direction(),
                                                  state->modes.friction[i].branch, v(i), N, x, w.xdot.data());
    rate += p.effect * (f.dry * N + f.other);
  }
}

void Decision::switches(const List<Guard>& fired, bool start) {
  for (const Guard& g : fired) switch_flow(sys, state->modes, g, state->base_x.data());
  if (start)
    for (Index i = 0; i < n; ++i) {
      const Friction& p = sys.friction[i];
      const auto value_at = [&](const Form& f) { return value(f, state->base_x.data(), sig.data()); };
      if (p.load_shift >= 0) {
        double& shift = state->base_x(p.load_shift);
        shift = 0.0;
        shift = p.load_period * std::floor(value_at(p.load_corners[0]) / p.load_period);
      }
      std::int16_t& stretch = state->modes.friction[i].load_stretch;
      stretch = 0;
      for (const Form& f : p.load_corners)
        if (value_at(f) >= 0.0) ++stretch;
      if (p.load_shift >= 0)
        stretch = std::clamp(stretch, std::int16_t(1), static_cast<std::int16_t>(p.load_corners.size() - 1));
    }
}

// What its load has left, or comes back to. A surface that nothing presses takes over no lagged force at a stop.
void Decision::release(const List<Guard>& fired) {
  const auto stops_on_surface = [&](Index i) {
    const auto stops = [i](const Guard& g) { return g.kind == GuardKind::slip_ends && g.friction == i; };
    return presliding(i) && std::any_of(fired.begin(), fired.end(), stops);
  };
  for (Index i = 0; i < n; ++i) {
    const Friction& p = sys.friction[i];
    FrictionMode& now = state->modes.friction[i];
    const bool free =
        has_no_load(sys, p, t) && (!lag_acts(p, now, state->base_x.data()) || stops_on_surface(i));
    if (free && !now.free) now.enter(Mode::slip_forward);
    now.free = free;
  }
}

// The memory of an element that begins to rub: at the start, or because its load begins. What was free has moved all
// the same, and a force that lags starts from none.
void Decision::begin(Index i, int mode, double speed) {
  const Friction& p = sys.friction[i];
  double* x = state->base_x.data();
  const bool goes_on = is_gripped(i) && mode != 0;
  const double lagged = goes_on && p.lagged >= 0 ? x[p.lagged] : 0.0,
               delayed = is_gripped(i) && p.delayed >= 0 ? x[p.delayed] : 0.0;
  start_in_mode(p, mode, speed, load(i), t, x);
  if (goes_on && p.lagged >= 0) x[p.lagged] = lagged;
  if (is_gripped(i) && p.delayed >= 0) x[p.delayed] = delayed;
}

// Laws without a jump lie on one side of v = 0; at rest the side to which the motion turns.
void Decision::find_sides(bool start) {
  // Forces are asked for below, and none of these laws has a side 0.
  for (Index i = 0; i < n; ++i)
    if (!set_valued(i) && state->modes.friction[i].sticks())
      state->modes.friction[i].mode = slip(v(i) < 0.0 ? -1 : 1);
  for (Index i = 0; i < n; ++i) {
    const Friction& p = sys.friction[i];
    if (!has_sides(i)) continue;
    if (!touches(i)) {
      state->modes.friction[i].mode = Mode::open;
      continue;
    }
    const double speed = v(i);
    const double tiny = tolerance::rounding * velocity_size(p, state->nominal);
    const Mode was = state->modes.friction[i].mode;
    if (std::abs(speed) > tiny) {
      state->modes.friction[i].mode = slip(speed > 0.0 ? 1 : -1);
    } else if (start || !state->modes.friction[i].slips()) {
      state->modes.friction[i].mode = Mode::slip_forward;
      free_acceleration(xdot);
      const double a = relative_acceleration(p, xdot, sig);
      if (a != 0.0) state->modes.friction[i].mode = slip(a > 0.0 ? 1 : -1);
    }
    if (const Mode is = state->modes.friction[i].mode; is != was) enter(i, is);
  }
}

// What lies at v = 0, and rests there because others do, keeps its side, though rounding may have carried it across; what
// is about to move has the side to which it goes.
void Decision::turn_sides() {
  bool evaluated = false;
  for (Index i = 0; i < n && !starting; ++i) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = state->modes.friction[i];
    if (!has_sides(i) || !now.slips() || !before.friction[i].slips()) continue;
    if (std::abs(v(i)) > tolerance::rounding * velocity_size(p, state->nominal)) continue;
    if (!evaluated) {
      xdot.setZero(sys.nx);
      evaluate(sys, cache.get(sys, state->modes), t, state->base_x.data(), sig.data(), xdot.data(),
               force.data(), w);
      evaluated = true;
    }
    const double a = relative_acceleration(p, xdot, sig);
    const bool rests_on = std::abs(a) <= tolerance::rounding * p.velocity.x.cwiseAbs().dot(terms);
    const int side = rests_on ? before.friction[i].direction() : a > 0.0 ? 1 : -1;
    if (side != now.direction()) enter(i, slip(side));
  }
}

// Whether a presliding element moves to that side, or at v = 0 is about to.
bool Decision::moves_towards(Index i, int side) {
  const Friction& p = sys.friction[i];
  const double speed = v(i);
  if (std::abs(speed) > tolerance::rest * velocity_size(p, state->nominal)) return speed * side > 0.0;
  xdot.setZero(sys.nx);
  evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  const double a = relative_acceleration(p, xdot, sig) * side;
  return a > tolerance::rounding * p.velocity.x.cwiseAbs().dot(terms);
}

// Sticking of an elastic surface is a motion of its own; the force is continuous and nothing has to be balanced.
void Decision::preslide(Index i, double speed, bool moves, bool ends, bool start) {
  FrictionMode& now = state->modes.friction[i];
  if ((start || before.friction[i].open() || is_gripped(i)) && moves) now.mode = slip(speed > 0.0 ? 1 : -1);
  if (ends) now.mode = Mode::stick;
}

// Whether a velocity that is zero just now, by coincidence, goes on to the other side: then the element rests.
bool Decision::comes_to_a_halt(Index i, int side) {
  xdot.setZero(sys.nx);
  evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  return relative_acceleration(sys.friction[i], xdot, sig) * side < 0.0;
}

// Whether an element moves against its surface. One that was held moves only if its surface jumps away; what
// numerical steps have left over is taken back.
bool Decision::moves(Index i, double speed, bool start) {
  const Friction& p = sys.friction[i];
  const bool held = before.friction[i].sticks();
  const double tiny =
      std::max(tolerance::rest * velocity_size(p, state->nominal), held ? drift(p.velocity.x) : 0.0);
  if (!(std::abs(speed) > tiny)) return false;
  if (!held || start || presliding(i) || struck) return true;
  if (here != nullptr && before.open.directions > 0) return true; // rows that were one have turned apart
  const Signal& surface = sys.signals[p.surface];
  return std::abs(value(surface, t) - value_before(surface, t)) > tiny;
}

// stops: its velocity has come to zero; touched: a contact has closed, which may be in its way, or another element has
// stopped. Where slips follow each other faster and faster on several surfaces (x' = -B sgn x spirals into x = 0) each
// velocity passes through zero without coming to rest, until all of them are zero to rounding: then all rest at once, and
// the complementarity problem decides what goes on.
void Decision::find_rest(Index i, bool stops, bool touched, bool nothing_fired, bool start) {
  FrictionMode& now = state->modes.friction[i];
  const bool begins = start || is_gripped(i);
  const double speed = v(i);
  if (now.open()) now.mode = Mode::stick; // it has just closed
  const int side = now.direction();
  const bool away = !stops && moves(i, speed, start);
  if (begins) begin(i, away ? (speed > 0.0 ? 1 : -1) : 0, away ? speed : 0.0);
  if (presliding(
          i)) { // a surface velocity that jumps can also leave a sliding element at rest, or another on its motion
    const bool left =
        !start && side != 0 && !away && (begins || nothing_fired || struck || comes_to_a_halt(i, side));
    return preslide(i, speed, away, stops || left, start);
  }
  if (away) { // a surface that jumps away from a sticking element, or the motion given at the start
    now.mode = slip(speed > 0.0 ? 1 : -1);
    return;
  }
  rests[i] = begins || side == 0 || stops || struck || touched || comes_to_a_halt(i, side);
  if (!rests[i] || side == 0 || begins) return;
  start_clock(sys.friction[i], side, load(i), t, state->base_x.data());
  if (!start && !before.friction[i].sticks()) count_brief_slip(i);
}

// To which side an element leaves whose force has reached its limit.
void Decision::leave(const Guard& g) {
  if (g.friction >= 0 && !set_valued(g.friction)) return;
  if (g.kind == GuardKind::breaks_away) {
    FrictionMode& now = state->modes.friction[g.friction];
    if (!presliding(g.friction))
      dir[g.friction] = g.direction;
    else if (moves_towards(g.friction, g.direction))
      now.mode = slip(g.direction);
    else // v opposes the force: it goes on sticking until v turns
      now.hold = above_limit(g.direction);
  }
  if (g.kind == GuardKind::surface_turns) state->modes.friction[g.friction].mode = slip(g.direction);
  if (g.kind == GuardKind::shared_limit && g.facet < 0)
    for (const ForceLimit& l : broken)
      if (l.force < n) dir[l.force] = l.side;
  if (g.kind == GuardKind::shared_limit && g.facet >= 0)
    for_each_leaving(cache.get(sys, before), g, [&](Index i, int side) { dir[i] = side; });
}

void Decision::find_resting(const List<Guard>& fired, bool start) {
  List<bool> stopped(n, false);
  bool touched = false;
  for (const Guard& g : fired) {
    touched = touched || g.kind == GuardKind::closes || g.kind == GuardKind::locks ||
              g.kind == GuardKind::slip_ends;
    if (g.kind == GuardKind::slip_ends) stopped[g.friction] = true;
  }
  for (Index i = 0; i < n; ++i) {
    if (!set_valued(i)) continue;
    if (touches(i))
      find_rest(i, stopped[i], touched, fired.empty(), start);
    else
      state->modes.friction[i].mode = Mode::open;
  }
  for (const Guard& g : fired) leave(g);
}

// Accumulation of slips. Where friction does not fall with the speed a motion can creep to rest at just its
// static level for ever, until errors of integration decide whether it sticks or slips, thousands of times a
// second. A slip that lasted less than three of the machine's shortest time constants and stayed (as a
// parabola) below 1e-6 of the velocities seen is too brief to count; after ten of them in a row the element
// sticks, up to 1e-6 above its limit. One longer slip ends that.
void Decision::count_brief_slip(Index i) {
  const Friction& p = sys.friction[i];
  auto& brief = state->brief[i];
  const double lasted = t - state->left(i);
  bool is_brief = p.traits.switches == 0 && lasted < 3.0 * state->time_scale && !struck;
  if (is_brief) {
    xdot.setZero(sys.nx);
    evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
    const double a = relative_acceleration(p, xdot, sig);
    is_brief = 0.25 * std::abs(a) * lasted < slow_slip * velocity_size(p, state->nominal);
  }
  if (!is_brief) brief = 0;
  if (is_brief) count_towards_rest(i);
}

void Decision::count_towards_rest(Index i) {
  auto& brief = state->brief[i];
  if (brief < 10) ++brief;
  if (brief == 10) state->modes.friction[i].hold = Hold::firmly;
}

// Presliding elements, and those that a jump of their surface takes out of stick, go on with the force that they
// have: what else is decided at this instant must see it.
void Decision::carry_presliding(bool start) {
  for (Index i = 0; i < n && !start; ++i) {
    const FrictionMode &was = before.friction[i], &is = state->modes.friction[i];
    if (set_valued(i) && (presliding(i) || !rests[i]) && was.mode != is.mode && !was.open() && !is.open() &&
        !is_gripped(i))
      change(i);
  }
}

// A presliding element that has come to rest just now; one whose surface has jumped has a velocity of its own.
bool Decision::comes_to_rest(Index i) const {
  return presliding(i) && !starting && before.friction[i].slips() && state->modes.friction[i].sticks() &&
         std::abs(v(i)) <= tolerance::event_zero * velocity_size(sys.friction[i], state->nominal);
}

// Velocities of resting elements, of presliding ones that have just come to rest, and the rates of closed gaps are
// set to zero exactly, with the least change of kinetic energy.
void Decision::project() {
  List<const Vector*> row, column;
  List<double> values;
  for (Index i = 0; i < n; ++i)
    if (rests[i] || comes_to_rest(i)) {
      row.push_back(&sys.friction[i].velocity.x);
      column.push_back(&sys.friction[i].effect);
      values.push_back(v(i));
    }
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (candidate[j]) {
      row.push_back(&sys.contacts[j].rate.x);
      column.push_back(&sys.contacts[j].effect);
      values.push_back(rate_at(j));
    }
  const Index m = row.size();
  const Vector speed = Eigen::Map<const Vector>(values.data(), m);
  if (m == 0 || speed.isZero(0.0)) return;
  Matrix G(m, m), U(sys.nx, m);
  for (Index k = 0; k < m; ++k) {
    U.col(k) = *column[k];
    for (Index l = 0; l < m; ++l) G(k, l) = row[k]->dot(*column[l]);
  }
  state->base_x -= U * impulses_to_rest(G, speed);
}

} // namespace stickslip
