#include "transition/active_set.hpp"

#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "model/relay_form.hpp"
#include "transition/automaton_states.hpp"
#include "transition/memory.hpp"
#include "transition/mode_changes.hpp"
#include "transition/prescribed.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

bool ActiveSet::touches(const System& sys, const Modes& modes, Index i) const {
  if (sys.friction[i].of_compliance)
    for (Index j = 0; j < sys.contacts.size(); ++j)
      if (sys.contacts[j].friction == i) return modes.contact[j] == Mode::closed;
  return sys.friction[i].contact < 0 || touching[sys.friction[i].contact];
}

void find_touching(Instant& at, ActiveSet& active) {
  active.touching.resize(at.sys.contacts.size(), false);
  active.rests.assign(at.sys.friction.size(), false);
  for (Index j = 0; j < at.sys.contacts.size(); ++j) {
    if (at.sys.contacts[j].yields()) continue;
    Mode& mode = at.state->modes.contact[j];
    active.touching[j] = mode == Mode::closed && !(at.rate(j) > at.no_rate(j));
    if (!active.touching[j]) mode = Mode::open;
  }
}

void free_acceleration(Instant& at, const ActiveSet& active) {
  at.xdot.noalias() = at.linear().A * at.state->base_x;
  at.xdot.noalias() += at.linear().S * at.signals;
  at.w.xdot = at.xdot;
  for (Index i = 0; i < at.sys.friction.size(); ++i) {
    const FrictionMode& mode = at.mode(i);
    if (active.rests[i] || at.contact_friction(i) || active.loaded_by_contact(at.sys, i) || mode.open())
      continue;
    if (at.set_valued(i) && !at.presliding(i) && mode.sticks())
      continue; // sticking: its force is an unknown of the problem
    const Friction& p = at.sys.friction[i];
    const double N = normal_load(p, mode.load_stretch, at.x(), at.s());
    const ElementForce<double> f =
        friction_force(p, mode.direction(), mode.branch, at.v(i), N, at.x(), at.w.xdot.data());
    at.xdot += p.effect * (f.dry * N + f.other);
  }
}

namespace {

// True if the element rests. A velocity that only passes through zero at this instant goes on to the other side.
bool comes_to_a_halt(Instant& at, Index i, int side) {
  return at.acceleration(i, at.before) * side < 0.0;
}

// A presliding element moves to that side, or is about to at v = 0.
bool moves_towards(Instant& at, Index i, int side) {
  const double speed = at.v(i);
  if (std::abs(speed) > tolerance::residual * at.v_size(i)) return speed * side > 0.0;
  const double rounding = tolerance::rounding * at.sys.friction[i].velocity.x.cwiseAbs().dot(at.terms);
  return at.acceleration(i, at.before) * side > rounding;
}

bool surface_jumps(const Instant& at, Index i) {
  const Vector& factors = followed_form(at.sys.friction[i]).s;
  double jump = 0.0;
  for (Index k = 0; k < factors.size(); ++k)
    if (factors(k) != 0.0)
      jump += factors(k) * (value(at.sys.signals[k], at.t) - value_before(at.sys.signals[k], at.t));
  return std::abs(jump) > tolerance::residual * at.v_size(i);
}

// Switchings of a relay accumulate until neither the present terms of its form nor the time resolve them.
double least_rate(Instant& at, Index i) {
  const Form& rate = at.sys.friction[i].velocity;
  const Vector here = at.state->base_x.cwiseAbs();
  const double resolved = tolerance::last_digits * std::max(std::abs(at.t), at.state->time_scale);
  return std::max(tolerance::rounding * size_of(rate, here, at.s()),
                  resolved * std::abs(at.acceleration(i, at.before)));
}

// An element moves relative to its surface. An element that was held moves only if its surface jumps; errors of
// numerical integration are removed.
bool moves(Instant& at, Index i, bool struck) {
  const Friction& p = at.sys.friction[i];
  const bool held = at.was(i).sticks();
  if (is_relay(p) && !held && !at.starting && !struck && at.regime(at.before).affine)
    return std::abs(at.v(i)) > least_rate(at, i);
  const double tiny = std::max(tolerance::residual * at.v_size(i), held ? drift(at, p.velocity.x) : 0.0);
  if (!(std::abs(at.v(i)) > tiny)) return false;
  if (!held || at.starting || at.presliding(i) || struck) return true;
  if (at.tangent != nullptr && at.before.open.directions > 0)
    return true; // rows that were identical have turned apart
  return surface_jumps(at, i);
}

// Summary of the guards that have fired.
struct Fired {
  const List<bool>&stopped, &seated; // see ActiveSet
  // A contact has closed, which may be in the way, or an element has stopped or taken its seat.
  bool touched = false;
  bool nothing = false;
};

// A velocity that has come to zero stays there unless its surface jumps at the same instant.
bool is_away(Instant& at, Index i, const Fired& fired, bool struck) {
  return (!fired.stopped[i] || surface_jumps(at, i)) && moves(at, i, struck);
}

// Sticking of an elastic surface is a motion with a continuous force, so nothing has to be balanced. A surface velocity
// that jumps can also bring a sliding element to rest, or reverse its motion.
void preslide(Instant& at, Index i, bool away, int side, const Fired& fired, bool struck) {
  FrictionMode& now = at.mode(i);
  const bool begins = at.starting || at.load_begins(i);
  const bool left = !at.starting && side != 0 && !away &&
                    (begins || fired.nothing || struck || comes_to_a_halt(at, i, side));
  if ((begins || at.was(i).open()) && away) now.mode = slip(at.v(i) > 0.0 ? 1 : -1);
  if (fired.stopped[i] || left) now.mode = Mode::stick;
}

// An element that does not move away rests, unless its velocity only passes through zero.
bool stays(Instant& at, Index i, int side, bool begins, const Fired& fired, bool struck) {
  return begins || side == 0 || fired.stopped[i] || fired.seated[i] || struck || fired.touched ||
         comes_to_a_halt(at, i, side);
}

// If slips on several surfaces follow each other at decreasing intervals (x' = -B sgn x spirals into x = 0), each
// velocity passes through zero without coming to rest until all are zero within rounding: then all rest at once, and
// the complementarity problem decides.
bool find_rest(Instant& at, Index i, const Fired& fired, bool struck) {
  FrictionMode& now = at.mode(i);
  const bool begins = at.starting || at.load_begins(i);
  if (now.open()) now.mode = Mode::stick; // it has just closed
  const int side = now.direction(), way = at.v(i) > 0.0 ? 1 : -1;
  const bool away = is_away(at, i, fired, struck);
  if (begins) begin_memory(at, i, away ? way : 0, away ? at.v(i) : 0.0);
  if (at.presliding(i)) {
    preslide(at, i, away, side, fired, struck);
    return false;
  }
  if (at.sys.friction[i].prescribed) {
    follow_prescribed(at, i, away, begins);
    return false;
  }
  if (away) { // a surface that jumps away from a sticking element, or the motion given at the start
    now.mode = slip(way);
    return false;
  }
  const bool rests = stays(at, i, side, begins, fired, struck);
  if (rests && side != 0 && !begins) {
    start_clock(at.sys.friction[i], side, at.load(i), at.t, at.x());
    if (!at.was(i).sticks()) count_brief_slip(at, i, struck);
  }
  return rests;
}

// A jump of a velocity or of the threshold can carry the form of a relay across it.
void follow_threshold(Instant& at, Index i) {
  const Friction& p = at.sys.friction[i];
  const int side = at.mode(i).direction();
  if (side == 0 && !surface_jumps(at, i)) return;
  for (const int to : {-1, 1}) {
    const Form& f = p.crests.empty() ? p.way : p.crests[to > 0 ? 1 : 0];
    const double beyond = to * value(f, at.x(), at.s());
    if (to != side && beyond > tolerance::residual * size_of(f, at.state->nominal, at.s()))
      return at.set_mode(i, slip(to));
  }
}

// Direction in which an element leaves whose force has reached its limit.
void leave(Instant& at, const Guard& g, const List<ForceLimit>& broken, ActiveSet& active) {
  if (g.friction >= 0 && !at.set_valued(g.friction)) return;
  if (g.kind == GuardKind::breaks_away) {
    FrictionMode& now = at.mode(g.friction);
    if (!at.presliding(g.friction))
      active.leaves[g.friction] = g.direction;
    else if (moves_towards(at, g.friction, g.direction))
      now.mode = slip(g.direction);
    else // v opposes the force: it sticks until v reverses
      now.hold = above_limit(g.direction);
  }
  if (g.kind == GuardKind::surface_turns) at.mode(g.friction).mode = slip(g.direction);
  if (g.kind != GuardKind::shared_limit) return;
  if (g.facet >= 0)
    return for_each_leaving(at.regime(at.before), g, [&](Index i, int side) { active.leaves[i] = side; });
  for (const ForceLimit& l : broken)
    if (l.force < at.sys.friction.size()) active.leaves[l.force] = l.side;
}

// A presliding element has come to rest; after a jump of its surface it has a velocity of its own.
bool comes_to_rest(const Instant& at, Index i) {
  return at.presliding(i) && !at.starting && at.was(i).slips() && at.mode(i).sticks() &&
         std::abs(at.v(i)) <= tolerance::event_zero * at.v_size(i);
}

} // namespace

void find_resting(Instant& at, const List<Guard>& fired, const List<ForceLimit>& broken, ActiveSet& active) {
  const Index n = at.sys.friction.size();
  active.stopped.assign(n, false), active.seated.assign(n, false);
  Fired what{active.stopped, active.seated, false, fired.empty()};
  for (const Guard& g : fired) {
    const bool stops = g.kind == GuardKind::slip_ends;
    if (stops) active.stopped[g.friction] = true;
    if (g.kind == GuardKind::reaches_seat) active.seated[g.friction] = true;
    const bool seats = g.kind == GuardKind::reaches_seat && !moves(at, g.friction, active.struck);
    what.touched = what.touched || stops || seats || meets_contact(g);
  }
  active.leaves.assign(n, 0);
  for (Index i = 0; i < n; ++i) {
    if (!at.set_valued(i)) continue;
    if (is_relay(at.sys.friction[i]) && at.sys.friction[i].has_seat() && !at.starting)
      follow_threshold(at, i);
    if (at.sys.friction[i].has_seat() && at.mode(i).slips() && !what.seated[i]) continue; // off its seat
    if (active.touches(at.sys, at.state->modes, i))
      active.rests[i] = find_rest(at, i, what, active.struck);
    else
      at.mode(i).mode = Mode::open;
  }
  for (const Guard& g : fired) leave(at, g, broken, active);
}

void project(Instant& at, const ActiveSet& active) {
  List<Index> contacts, elements;
  List<double> values;
  for (Index j = 0; j < at.sys.contacts.size(); ++j)
    if (active.touching[j]) contacts.push_back(j), values.push_back(at.rate(j));
  for (Index i = 0; i < at.sys.friction.size(); ++i)
    if (!at.sys.friction[i].prescribed && (active.rests[i] || comes_to_rest(at, i))) {
      const Friction& p = at.sys.friction[i];
      elements.push_back(i), values.push_back(at.v(i));
      if (p.has_seat()) move_onto(at, p.way, p.effect);
    }
  const Vector speed = Eigen::Map<const Vector>(values.data(), values.size());
  if (speed.isZero(0.0)) return;
  const ForceDirections along = force_directions(at.sys, contacts, elements);
  at.state->base_x -= along.columns * impulses_to_rest(along.rows * along.columns, speed);
}

} // namespace stickslip
