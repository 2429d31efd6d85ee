// What rests at an instant, or moves at once: the first half of a decision.
#include "core/linalg.hpp"
#include "dynamics/place_force.hpp"
#include "transition/automaton_states.hpp"
#include "transition/decision.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

void enter(FrictionMode& now, const Place& p, Mode mode, double* x) noexcept {
  now.enter(mode);
  if (p.states >= 0 && now.slips()) on_turn(p.law, now.direction(), x + p.states);
}

// Where the velocity of a law without a jump changes its side, all its elements stick again.
void switch_flow(const System& sys, Modes& modes, const Guard& g, double* x) noexcept {
  if (g.friction < 0) return;
  FrictionMode& now = modes.friction[g.friction];
  const Place& p = sys.places[g.friction];
  switch (g.kind) {
  case GuardKind::kink:
    return enter(now, p, slip(-now.direction()), x);
  case GuardKind::branch:
    now.branch = on_switch(p.law, g.bit, now.direction(), now.branch, x + p.states);
    return;
  case GuardKind::load_sign:
    now.load_sign = static_cast<std::int8_t>(-now.load_sign);
    return;
  case GuardKind::limit_again:
    now.hold = Hold::by_limit;
    return;
  default:
    return;
  }
}

// x' with all places taken out that rest or follow a contact's force.
void Decision::free_acceleration(Vector& rate) {
  const double* x = state->base_x.data();
  const LinearPart& linear = cache.linear(sys, state->modes.limit);
  rate.noalias() = linear.A * state->base_x;
  rate.noalias() += linear.S * sig;
  w.xdot = rate;
  for (std::size_t i = 0; i < n; ++i) {
    if (rests[i] || contact_friction(i) || loaded_by_contact(i)) continue;
    if (set_valued(i) && !presliding(i) && state->modes.friction[i].sticks())
      continue; // held: no force of its own
    const Place& p = sys.places[i];
    const double N = normal_load(p, state->modes.friction[i].load_sign, x, sig.data());
    const PlaceForce f = place_force(p, state->modes.friction[i].direction(), state->modes.friction[i].branch,
                                     v(i), N, x, w.xdot.data());
    rate += p.effect * (f.dry * N + f.other);
  }
}

void Decision::switches(const std::vector<Guard>& fired, bool start) {
  for (const Guard& g : fired) switch_flow(sys, state->modes, g, state->base_x.data());
  if (start)
    for (std::size_t i = 0; i < n; ++i)
      if (sys.places[i].load_force.x.size() > 0) {
        const Form& f = sys.places[i].load_force;
        state->modes.friction[i].load_sign = f.x.dot(state->base_x) + f.s.dot(sig) < 0.0 ? -1 : 1;
      }
}

// Laws without a jump lie on one side of v = 0; at rest the side to which the motion turns.
void Decision::find_sides(bool start) {
  // Forces are asked for below, and none of these laws has a side 0.
  for (std::size_t i = 0; i < n; ++i)
    if (!sys.places[i].traits.sticks && state->modes.friction[i].sticks())
      state->modes.friction[i].mode = slip(v(i) < 0.0 ? -1 : 1);
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (p.traits.sticks) continue;
    if (!touches(i)) {
      state->modes.friction[i].mode = Mode::open;
      continue;
    }
    const double speed = v(i);
    const double tiny = 1e-13 * velocity_size(p, state->nominal);
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

// Whether a presliding place moves to that side, or at v = 0 is about to.
bool Decision::moves_towards(std::size_t i, int side) {
  const Place& p = sys.places[i];
  const double speed = v(i);
  if (std::abs(speed) > 1e-11 * velocity_size(p, state->nominal)) return speed * side > 0.0;
  xdot.setZero(sys.nx);
  evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  const double a = relative_acceleration(p, xdot, sig) * side;
  return a > 1e-13 * p.velocity.x.cwiseAbs().dot(terms);
}

void Decision::find_resting(const std::vector<Guard>& fired, bool start) {
  std::vector<bool> stopped(n, false);
  bool touched = false;
  for (const Guard& g : fired) touched = touched || g.kind == GuardKind::closes;
  for (const Guard& g : fired)
    if (g.kind == GuardKind::slip_ends) stopped[static_cast<std::size_t>(g.friction)] = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!set_valued(i)) continue;
    if (!touches(i)) {
      state->modes.friction[i].mode = Mode::open;
      continue;
    }
    if (start) start_in_mode(sys.places[i], 0, 0.0, load(i), t, state->base_x.data());
    const double speed = v(i);
    const double tiny = std::max(1e-11 * velocity_size(sys.places[i], state->nominal),
                                 before.friction[i].sticks() ? drift(sys.places[i].velocity.x) : 0.0);
    if (state->modes.friction[i].open()) state->modes.friction[i].mode = Mode::stick; // it has just closed
    const int mode = state->modes.friction[i].direction();
    bool moves = std::abs(speed) > tiny && !stopped[i];
    if (moves && before.friction[i].sticks() && !start && !presliding(i) && !struck) {
      // Held until now: it moves only if its surface jumps away. What numerical steps have left over is taken
      // back.
      const Signal& surface = sys.signals[static_cast<std::size_t>(sys.places[i].surface)];
      moves = std::abs(value(surface, t) - value_before(surface, t)) > tiny;
    }
    if (presliding(i)) {
      // Sticking is a motion of its own here; the force is continuous and nothing has to be balanced.
      if ((start || before.friction[i].open()) && moves)
        state->modes.friction[i].mode = slip(speed > 0.0 ? 1 : -1);
      // A surface velocity that jumps can also leave a sliding place at rest.
      if (stopped[i] || (!start && fired.empty() && mode != 0 && !moves))
        state->modes.friction[i].mode = Mode::stick;
      continue;
    }
    if (moves) { // a surface that jumps away from a stuck place, or the motion given at the start
      state->modes.friction[i].mode = slip(speed > 0.0 ? 1 : -1);
      if (start)
        start_in_mode(sys.places[i], state->modes.friction[i].direction(), speed, load(i), t,
                      state->base_x.data());
      continue;
    }
    bool ends = start || mode == 0 || stopped[i] || struck || touched; // touched: it may be in the way
    if (!ends) {
      // Also at zero at this instant, by coincidence: it rests if it comes to a halt, and slides on if it
      // departs.
      xdot.setZero(sys.nx);
      evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(),
               w);
      ends = relative_acceleration(sys.places[i], xdot, sig) * mode < 0.0;
    }
    rests[i] = ends;
    if (ends && mode != 0) {
      start_clock(sys.places[i], mode, load(i), t, state->base_x.data());
      if (!start && !before.friction[i].sticks()) count_brief_slip(i);
    }
  }
  for (const Guard& g : fired) {
    if (g.kind == GuardKind::breaks_away) {
      const auto i = static_cast<std::size_t>(g.friction);
      if (!presliding(i))
        dir[i] = g.direction;
      else if (moves_towards(i, g.direction))
        state->modes.friction[i].mode = slip(g.direction);
      else // v opposes the force: it stays stuck until v turns
        state->modes.friction[i].hold = above_limit(g.direction);
    }
    if (g.kind == GuardKind::surface_turns) state->modes.friction[g.friction].mode = slip(g.direction);
    if (g.kind == GuardKind::shared_limit)
      for_each_leaving(cache.get(sys, before), g,
                       [&](Index i, int side) { dir[static_cast<std::size_t>(i)] = side; });
  }
}

// Accumulation of slips. Where friction does not fall with the speed a motion can creep to rest at just its
// static level for ever, until errors of integration decide whether it sticks or slips, thousands of times a
// second. A slip that lasted less than three of the machine's shortest time constants and stayed (as a
// parabola) below 1e-6 of the velocities seen is too brief to count; after ten of them in a row the place
// sticks, up to 1e-6 above its limit. One longer slip ends that.
void Decision::count_brief_slip(std::size_t i) {
  const Place& p = sys.places[i];
  auto& brief = state->brief[i];
  const double lasted = t - state->left(static_cast<Index>(i));
  bool is_brief = p.traits.switches == 0 && lasted < 3.0 * sys.time_scale && !struck;
  if (is_brief) {
    xdot.setZero(sys.nx);
    evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
    const double a = relative_acceleration(p, xdot, sig);
    is_brief = 0.25 * std::abs(a) * lasted < 1e-6 * velocity_size(p, state->nominal);
  }
  if (!is_brief) brief = 0;
  if (is_brief) count_towards_rest(i);
}

void Decision::count_towards_rest(std::size_t i) {
  auto& brief = state->brief[i];
  if (brief < 10) ++brief;
  if (brief == 10) state->modes.friction[i].hold = Hold::firmly;
}

// Presliding places, and those that a jump of their surface takes out of stick, go on with the force that they
// have: what else is decided at this instant must see it.
void Decision::carry_presliding(bool start) {
  for (std::size_t i = 0; i < n && !start; ++i) {
    const FrictionMode &was = before.friction[i], &is = state->modes.friction[i];
    if ((presliding(i) || (set_valued(i) && !rests[i])) && was.mode != is.mode && !was.open() && !is.open())
      change(i);
  }
}

// A presliding place that has come to rest just now; one whose surface has jumped has a velocity of its own.
bool Decision::comes_to_rest(std::size_t i) const {
  return presliding(i) && !starting && before.friction[i].slips() && state->modes.friction[i].sticks() &&
         std::abs(v(i)) <= 1e-9 * velocity_size(sys.places[i], state->nominal);
}

// Velocities of resting places, of presliding ones that have just come to rest, and the rates of closed gaps are
// set to zero exactly, with the least change of kinetic energy.
void Decision::project() {
  std::vector<const Vector*> row, column;
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i)
    if (rests[i] || comes_to_rest(i)) {
      row.push_back(&sys.places[i].velocity.x);
      column.push_back(&sys.places[i].effect);
      values.push_back(v(i));
    }
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    if (candidate[j]) {
      row.push_back(&sys.contacts[j].rate.x);
      column.push_back(&sys.contacts[j].effect);
      values.push_back(rate_at(j));
    }
  const Index m = static_cast<Index>(row.size());
  const Vector speed = Eigen::Map<const Vector>(values.data(), m);
  if (m == 0 || speed.isZero(0.0)) return;
  Matrix G(m, m), U(sys.nx, m);
  for (Index k = 0; k < m; ++k) {
    U.col(k) = *column[static_cast<std::size_t>(k)];
    for (Index l = 0; l < m; ++l)
      G(k, l) = row[static_cast<std::size_t>(k)]->dot(*column[static_cast<std::size_t>(l)]);
  }
  state->base_x -= U * linalg::pseudo_inverse(G) * speed;
}

} // namespace stickslip
