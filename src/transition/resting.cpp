// What rests at an instant, or moves at once: the first half of a decision.
#include "core/linalg.hpp"
#include "dynamics/place_force.hpp"
#include "transition/automaton_states.hpp"
#include "transition/decision.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

// Where the velocity of a law without a jump changes its side, all its elements stick again.
void switch_flow(const System& sys, Modes& modes, const Guard& g) {
  const auto i = static_cast<std::size_t>(g.element);
  if (g.kind == GuardKind::kink) {
    modes.place[i] = static_cast<std::int8_t>(-modes.place[i]);
    modes.branch[i] = initial_branch(sys.places[i].law);
  } else if (g.kind == GuardKind::branch) {
    modes.branch[i] = switch_branch(sys.places[i].law, modes.branch[i], g.side);
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
    if (set_valued(i) && !presliding(i) && state->modes.place[i] == 0) continue; // held: no force of its own
    const Place& p = sys.places[i];
    const double N = normal_load(p, state->modes.load_sign[i], x, sig.data());
    const PlaceForce f =
        place_force(p, state->modes.place[i], state->modes.branch[i], v(i), N, x, w.xdot.data());
    rate += p.effect * (f.dry * N + f.other);
  }
}

void Decision::switches(const std::vector<Guard>& fired, bool start) {
  for (const Guard& g : fired) {
    const auto i = static_cast<std::size_t>(g.element);
    switch_flow(sys, state->modes, g);
    if (g.kind == GuardKind::load_sign)
      state->modes.load_sign[i] = static_cast<std::int8_t>(-state->modes.load_sign[i]);
  }
  if (start)
    for (std::size_t i = 0; i < n; ++i)
      if (sys.places[i].load_force.x.size() > 0) {
        const Form& f = sys.places[i].load_force;
        state->modes.load_sign[i] = f.x.dot(state->base_x) + f.s.dot(sig) < 0.0 ? -1 : 1;
      }
}

// Laws without a jump lie on one side of v = 0; at rest the side to which the motion turns.
void Decision::sides_of_kinks(bool start) {
  // Forces are asked for below, and none of these laws has a side 0.
  for (std::size_t i = 0; i < n; ++i)
    if (!sys.places[i].traits.sticks && state->modes.place[i] == 0)
      state->modes.place[i] = v(i) < 0.0 ? -1 : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (p.traits.sticks) continue;
    if (!touches(i)) {
      state->modes.place[i] = static_cast<std::int8_t>(Mode::open);
      continue;
    }
    const double speed = v(i);
    const double tiny = 1e-13 * velocity_size(p, state->nominal);
    const auto was = state->modes.place[i];
    if (std::abs(speed) > tiny) {
      state->modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
    } else if (start || std::abs(state->modes.place[i]) != 1) {
      state->modes.place[i] = 1;
      free_acceleration(xdot);
      const double a = p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig);
      if (a != 0.0) state->modes.place[i] = static_cast<std::int8_t>(a > 0.0 ? 1 : -1);
    }
    if (state->modes.place[i] != was) state->modes.branch[i] = initial_branch(p.law);
  }
}

// Whether a presliding place moves to that side, or at v = 0 is about to.
bool Decision::moves_towards(std::size_t i, int side) {
  const Place& p = sys.places[i];
  const double speed = v(i);
  if (std::abs(speed) > 1e-11 * velocity_size(p, state->nominal)) return speed * side > 0.0;
  xdot.setZero(sys.nx);
  evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  const double a = (p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig)) * side;
  return a > 1e-13 * p.velocity.x.cwiseAbs().dot(terms);
}

void Decision::find_resting(const std::vector<Guard>& fired, bool start) {
  std::vector<bool> stopped(n, false);
  bool touched = false;
  for (const Guard& g : fired) touched = touched || g.kind == GuardKind::closes;
  for (const Guard& g : fired)
    if (g.kind == GuardKind::slip_ends) stopped[static_cast<std::size_t>(g.element)] = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!set_valued(i)) continue;
    if (!touches(i)) {
      state->modes.place[i] = static_cast<std::int8_t>(Mode::open);
      continue;
    }
    if (start) start_in_mode(sys.places[i], 0, 0.0, load(i), t, state->base_x.data());
    const double speed = v(i);
    const double tiny = std::max(1e-11 * velocity_size(sys.places[i], state->nominal),
                                 before.place[i] == 0 ? drift(sys.places[i].velocity.x) : 0.0);
    if (state->modes.place[i] == static_cast<std::int8_t>(Mode::open))
      state->modes.place[i] = 0; // it has just closed
    const int mode = state->modes.place[i];
    bool moves = std::abs(speed) > tiny && !stopped[i];
    if (moves && before.place[i] == 0 && !start && !presliding(i) && !struck) {
      // Held until now: it moves only if its surface jumps away. What numerical steps have left over is taken
      // back.
      const Signal& surface = sys.signals[static_cast<std::size_t>(sys.places[i].surface)];
      moves = std::abs(value(surface, t) - value_before(surface, t)) > tiny;
    }
    if (presliding(i)) {
      // Sticking is a motion of its own here; the force is continuous and nothing has to be balanced.
      if ((start || before.place[i] == static_cast<std::int8_t>(Mode::open)) && moves)
        state->modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
      // A surface velocity that jumps can also leave a sliding place at rest.
      if (stopped[i] || (!start && fired.empty() && mode != 0 && !moves)) state->modes.place[i] = 0;
      continue;
    }
    if (moves) { // a surface that jumps away from a stuck place, or the motion given at the start
      state->modes.place[i] = static_cast<std::int8_t>(speed > 0.0 ? 1 : -1);
      if (start) start_in_mode(sys.places[i], state->modes.place[i], speed, load(i), t, state->base_x.data());
      continue;
    }
    bool ends = start || mode == 0 || stopped[i] || struck || touched; // touched: it may be in the way
    if (!ends) {
      // Also at zero at this instant, by coincidence: it rests if it comes to a halt, and slides on if it
      // departs.
      xdot.setZero(sys.nx);
      evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(),
               w);
      ends = (sys.places[i].velocity.x.dot(xdot) + sys.places[i].acceleration_s.dot(sig)) * mode < 0.0;
    }
    rests[i] = ends;
    if (ends && mode != 0) {
      start_clock(sys.places[i], mode, load(i), t, state->base_x.data());
      if (!start && before.place[i] != 0) count_brief_slip(i);
    }
  }
  for (const Guard& g : fired) {
    const auto i = static_cast<std::size_t>(g.element);
    if (g.kind == GuardKind::breaks_away) {
      if (!presliding(i))
        dir[i] = g.side;
      else if (moves_towards(i, g.side))
        state->modes.place[i] = static_cast<std::int8_t>(g.side);
      else
        state->modes.branch[i] = over_limit(g.side); // v opposes the force: it stays stuck until v turns
    }
    if (g.kind == GuardKind::surface_turns) state->modes.place[i] = static_cast<std::int8_t>(g.side);
    if (g.kind == GuardKind::limit_again) state->modes.branch[i] = 0;
    if (g.kind == GuardKind::shared_limit) {
      const Regime& r = cache.get(sys, before);
      const Facet& f = r.facets[i];
      for (std::size_t j = 0; j < f.members.size(); ++j)
        dir[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(f.members[j])])] =
            f.share(static_cast<Index>(j)) * g.side > 0.0 ? 1 : -1;
    }
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
    const double a = p.velocity.x.dot(xdot) + p.acceleration_s.dot(sig);
    is_brief = 0.25 * std::abs(a) * lasted < 1e-6 * velocity_size(p, state->nominal);
  }
  if (!is_brief) brief = 0;
  if (is_brief) count_towards_rest(i);
}

void Decision::count_towards_rest(std::size_t i) {
  auto& brief = state->brief[i];
  if (brief < 10) ++brief;
  if (brief == 10) state->modes.branch[i] = holds_firmly;
}

// Presliding places, and those that a jump of their surface takes out of stick, go on with the force that they
// have: what else is decided at this instant must see it.
void Decision::carry_presliding(bool start) {
  for (std::size_t i = 0; i < n && !start; ++i) {
    const int was = before.place[i], is = state->modes.place[i];
    const auto open = static_cast<int>(Mode::open);
    if ((presliding(i) || (set_valued(i) && !rests[i])) && was != is && was != open && is != open) change(i);
  }
}

// A presliding place that has come to rest just now; one whose surface has jumped has a velocity of its own.
bool Decision::comes_to_rest(std::size_t i) const {
  return presliding(i) && !starting && std::abs(before.place[i]) == 1 && state->modes.place[i] == 0 &&
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
