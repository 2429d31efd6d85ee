// Contacts at one instant: which touch, impacts, and the complementarity problem over everything that
// touches.
#include "contact/impact.hpp"
#include "contact/transition.hpp"
#include "core/error.hpp"
#include "simulate/decision.hpp"
#include "simulate/place_force.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

Mode contact_mode(const System& sys, const Modes& modes, std::size_t j) {
  if (modes.contact[j] == static_cast<std::int8_t>(Mode::open)) return Mode::open;
  const Index place = sys.contacts[j].place;
  return place < 0 ? Mode::closed : static_cast<Mode>(modes.place[static_cast<std::size_t>(place)]);
}

double Decision::gap_at(std::size_t j) const {
  const Contact& c = sys.contacts[j];
  return c.gap.x.dot(state.base_x) + c.gap.s.dot(sig);
}

double Decision::rate_at(std::size_t j) const {
  const Contact& c = sys.contacts[j];
  return c.rate.x.dot(state.base_x) + c.rate.s.dot(sig);
}

double Decision::gap_size(std::size_t j) const {
  return sys.contacts[j].gap.x.cwiseAbs().dot(state.nominal) +
         sys.contacts[j].gap.s.cwiseAbs().dot(sig.cwiseAbs());
}

double Decision::rate_size(std::size_t j) const {
  return sys.contacts[j].rate.x.cwiseAbs().dot(state.nominal) +
         sys.contacts[j].rate.s.cwiseAbs().dot(sig.cwiseAbs());
}

void Decision::find_candidates(const std::vector<Guard>& fired, bool start) {
  const std::size_t nc = sys.contacts.size();
  std::vector<Index> touching; // takes part in an impact: without a force of its own as well
  bool approach = false;
  for (std::size_t j = 0; j < nc; ++j) {
    const double gap = gap_at(j), rate = rate_at(j);
    const bool was_closed = state.modes.contact[j] == static_cast<std::int8_t>(Mode::closed);
    const double no_gap = 1e-11 * gap_size(j);
    const double no_rate = std::max(1e-11 * rate_size(j), was_closed ? drift(sys.contacts[j].rate.x) : 0.0);
    if (start && gap < -no_gap) {
      std::ostringstream what;
      what << "overlaps at the start by " << -gap << " m: its gap must be >= 0";
      reject("contact '" + sys.contacts[j].name + "'", what.str());
    }
    bool closes = false;
    for (const Guard& g : fired)
      closes = closes || (g.kind == GuardKind::closes && g.element == static_cast<Index>(j));
    const bool touches_now = was_closed || closes || (std::abs(gap) <= no_gap && (start || rate < -no_rate));
    // A contact that an impact or a moving wall has set apart is open again.
    candidate[j] = touches_now && !(rate > no_rate);
    if (!candidate[j]) state.modes.contact[j] = static_cast<std::int8_t>(Mode::open);
    if (candidate[j] || (std::abs(gap) <= no_gap && !(rate > no_rate)))
      touching.push_back(static_cast<Index>(j));
    approach = approach || (candidate[j] && rate < -no_rate);
  }
  if (approach && impulses.empty()) {
    strike(touching, true);
    if (!unsolved) find_candidates({}, false);
    return;
  }
  for (std::size_t j = 0; j < nc; ++j)
    if (candidate[j]) state.modes.contact[j] = static_cast<std::int8_t>(Mode::closed);
}

// Impact of all contacts that touch. Those that stay, or rebound too slowly to be told from staying, are left
// closed.
void Decision::strike(const std::vector<Index>& touching, bool collision) {
  contact::Impact p;
  p.contacts = static_cast<Index>(touching.size());
  p.collision = collision;
  p.restitution.resize(p.contacts);
  std::vector<const Vector*> rows, columns;
  std::vector<double> velocity, wall, friction;
  std::vector<Index> places;
  Index newton = 0;
  for (Index k = 0; k < p.contacts; ++k) {
    const auto j = static_cast<std::size_t>(touching[static_cast<std::size_t>(k)]);
    const Contact& c = sys.contacts[j];
    p.restitution(k) = collision ? c.restitution : 0.0;
    newton += c.impact == ImpactRule::newton;
    rows.push_back(&c.rate.x);
    columns.push_back(&c.effect);
    velocity.push_back(rate_at(j));
    wall.push_back(c.rate.s.dot(sig));
  }
  std::vector<Vector> along;
  along.reserve(touching.size());
  for (Index k = 0; k < p.contacts; ++k) {
    const Contact& c = sys.contacts[static_cast<std::size_t>(touching[static_cast<std::size_t>(k)])];
    if (c.place < 0) continue;
    const Place& place = sys.places[static_cast<std::size_t>(c.place)];
    p.place.push_back(k);
    places.push_back(c.place);
    friction.push_back(c.impulsive_friction);
    along.push_back(-place.effect); // per unit of tangential impulse in the direction of sliding
    rows.push_back(&place.velocity.x);
    columns.push_back(&along.back());
    velocity.push_back(v(static_cast<std::size_t>(c.place)));
    wall.push_back(place.velocity.s.dot(sig));
  }
  const Index m = static_cast<Index>(rows.size());
  p.G.resize(m, m);
  for (Index k = 0; k < m; ++k)
    for (Index l = 0; l < m; ++l)
      p.G(k, l) = rows[static_cast<std::size_t>(k)]->dot(*columns[static_cast<std::size_t>(l)]);
  p.friction = Eigen::Map<const Vector>(friction.data(), static_cast<Index>(friction.size()));
  p.velocity = Eigen::Map<const Vector>(velocity.data(), m);
  p.wall = Eigen::Map<const Vector>(wall.data(), m);
  // Poisson's law looks at impulses and Newton's at velocities: in one impact there can be only one of them.
  // Newton's serves where they differ, and the event says so.
  p.law = newton > 0 ? contact::ImpactLaw::newton : contact::ImpactLaw::poisson;
  mixed_laws = newton > 0 && newton < p.contacts;
  contact::ImpactWorkspace work;
  const contact::ImpactAnswer answer = contact::impact(p, work);
  if (answer.solutions.empty()) {
    unsolved = true;
    return;
  }
  const contact::ImpactSolution& best = answer.solutions.front();
  for (Index k = 0; k < m; ++k) {
    const double impulse = k < p.contacts ? best.impulse(k) : -best.impulse(k); // friction opposes
    state.base_x += *columns[static_cast<std::size_t>(k)] * impulse;
    // What rounding leaves of zero afterwards is measured by what the impact moved.
    state.nominal = state.nominal.cwiseMax((*columns[static_cast<std::size_t>(k)] * impulse).cwiseAbs());
  }
  const double loss = best.wall_work - best.energy_change;
  const double moved = best.impulse.cwiseAbs().dot(p.velocity.cwiseAbs() + best.velocity.cwiseAbs());
  gains = loss < -1e-9 * moved;
  impulses.clear();
  for (Index k = 0; k < p.contacts; ++k) {
    Impulse one;
    one.contact = touching[static_cast<std::size_t>(k)];
    one.normal = best.impulse(k);
    one.collision = collision;
    one.loss = k == 0 ? loss : 0.0;
    one.wall_work = -best.impulse(k) * p.wall(k);
    for (std::size_t q = 0; q < p.place.size(); ++q) {
      const Index row = p.contacts + static_cast<Index>(q);
      if (p.place[q] != k) continue;
      one.tangential = best.impulse(row);
      one.wall_work += best.impulse(row) * p.wall(row);
    }
    impulses.push_back(one);
  }
  for (Index j : touching) {
    const auto u = static_cast<std::size_t>(j);
    // Impacts that follow each other faster and faster end here, in finite time: a rebound a billion times
    // slower than what this contact has seen counts as none.
    const bool stays = rate_at(u) <= 1e-9 * rate_size(u);
    state.modes.contact[u] = static_cast<std::int8_t>(stays ? Mode::closed : Mode::open);
    if (stays)
      state.base_x -=
          sys.contacts[u].effect * (rate_at(u) / sys.contacts[u].rate.x.dot(sys.contacts[u].effect));
  }
  if (answer.ambiguous) ambiguous = true;
  solutions = answer.complete ? static_cast<Index>(answer.solutions.size()) : -1;
}

bool Decision::decide_contacts(const std::vector<Guard>& fired) {
  return try_contacts(fired, true) || try_contacts(fired, false);
}

bool Decision::try_contacts(const std::vector<Guard>& fired, bool narrowed) {
  namespace ct = contact;
  const double* x = state.base_x.data();
  std::vector<std::size_t> closed, places;
  std::vector<Index> number(sys.contacts.size(), -1);
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    if (candidate[j]) {
      number[j] = static_cast<Index>(closed.size());
      closed.push_back(j);
    }
  for (std::size_t i = 0; i < n; ++i)
    if (rests[i] || (contact_friction(i) && touches(i))) places.push_back(i);

  const auto nc = static_cast<Index>(closed.size()), m = nc + static_cast<Index>(places.size());
  Vector xdot(sys.nx);
  free_acceleration(xdot);
  ct::Problem p;
  p.contacts = nc;
  p.G.resize(m, m);
  p.free.resize(m);
  p.free_size.resize(m);
  std::vector<const Vector*> rows, columns;
  std::vector<Vector> along;
  along.reserve(places.size());
  for (std::size_t j : closed) {
    rows.push_back(&sys.contacts[j].rate.x);
    columns.push_back(&sys.contacts[j].effect);
    p.free(static_cast<Index>(rows.size()) - 1) =
        sys.contacts[j].rate.x.dot(xdot) + sys.contacts[j].acceleration_s.dot(sig);
  }
  Vector unused = Vector::Zero(sys.nx);
  std::vector<Mode> present;
  std::vector<ct::Allowed> allowed(static_cast<std::size_t>(m), ct::anything);
  for (std::size_t j : closed)
    // What touches at the start counts as having touched before.
    present.push_back(before.contact[j] == static_cast<std::int8_t>(Mode::open) && impulses.empty() &&
                              !starting
                          ? Mode::open
                          : Mode::closed);
  for (std::size_t i : places) {
    const Place& place = sys.places[i];
    along.push_back(-place.effect);
    rows.push_back(&place.velocity.x);
    columns.push_back(&along.back());
    const auto row = static_cast<Index>(rows.size()) - 1;
    p.free(row) = place.velocity.x.dot(xdot) + place.acceleration_s.dot(sig);
    ct::Place q;
    q.contact = place.contact >= 0 ? number[static_cast<std::size_t>(place.contact)] : -1;
    const bool given = place.contact < 0;
    if (rests[i]) {
      const Interval limits = stick_limits(place, state.modes.load_sign[i], t, x, sig.data());
      auto line = [&](double force_level) {
        return given ? ct::Line{force_level, 0.0} : ct::Line{0.0, force_level};
      };
      q.low = line(limits.lo);
      q.high = line(limits.hi);
      q.minus = line(sliding_force(i, -1));
      q.plus = line(sliding_force(i, 1));
      const int was = before.place[i];
      present.push_back(was == 1 ? Mode::slip_forward : was == -1 ? Mode::slip_backward : Mode::stick);
    } else {
      const PlaceForce f =
          place_force(place, state.modes.place[i], state.modes.branch[i], v(i), 1.0, x, unused.data());
      q.state = state.modes.place[i] < 0 ? Mode::slip_backward : Mode::slip_forward;
      q.low = q.high = q.minus = q.plus = ct::Line{f.other, f.dry};
      present.push_back(q.state);
    }
    p.places.push_back(q);
  }
  for (Index k = 0; k < m; ++k) {
    p.free_size(k) = rows[static_cast<std::size_t>(k)]->cwiseAbs().dot(terms);
    for (Index l = 0; l < m; ++l)
      p.G(k, l) = rows[static_cast<std::size_t>(k)]->dot(*columns[static_cast<std::size_t>(l)]);
  }

  if (narrowed)
    for (const Guard& g : fired) {
      const auto e = static_cast<std::size_t>(g.element);
      if (g.kind == GuardKind::opens && candidate[e])
        allowed[static_cast<std::size_t>(number[e])] = ct::bit(Mode::open);
      for (std::size_t q = 0; q < places.size(); ++q) {
        if (places[q] != e || !rests[e]) continue;
        auto& a = allowed[static_cast<std::size_t>(nc) + q];
        if (g.kind == GuardKind::breaks_away)
          a = ct::bit(g.side > 0 ? Mode::slip_forward : Mode::slip_backward);
        if (g.kind == GuardKind::slip_ends)
          a = static_cast<ct::Allowed>(a & ~ct::bit(g.side > 0 ? Mode::slip_forward : Mode::slip_backward));
      }
    }

  auto apply = [&](const ct::Candidate& c) {
    for (std::size_t k = 0; k < closed.size(); ++k)
      state.modes.contact[closed[k]] =
          static_cast<std::int8_t>(c.modes[k] == Mode::open ? Mode::open : Mode::closed);
    for (std::size_t q = 0; q < places.size(); ++q) {
      const Mode mode = c.modes[closed.size() + q];
      if (mode == Mode::open)
        state.modes.place[places[q]] = static_cast<std::int8_t>(Mode::open);
      else if (rests[places[q]])
        state.modes.place[places[q]] = static_cast<std::int8_t>(mode);
    }
  };
  const Modes entry = state.modes;
  auto holds = [&](const ct::Candidate& c) {
    state.modes = entry;
    apply(c);
    const Regime& r = cache.get(sys, state.modes);
    Matrix series;
    guard_series(r, series);
    for (std::size_t k = 0; k < r.guards.size(); ++k) {
      const Guard& g = r.guards[k];
      const auto e = static_cast<std::size_t>(g.element);
      const bool mine =
          g.kind == GuardKind::opens || g.kind == GuardKind::closes
              ? candidate[e]
              : (g.kind == GuardKind::slip_ends || g.kind == GuardKind::breaks_away) && rests[e];
      if (mine && sign_of(r, k, series) > 0) return false;
    }
    return true;
  };
  ct::TransitionWorkspace work;
  ct::Decision answer;
  ct::decide(p, present, allowed, ct::admissible_by(holds), work, answer);
  state.modes = entry;
  if (!answer.found()) return false;
  apply(answer.answer);
  const bool left =
      std::any_of(answer.left_rest.begin(), answer.left_rest.end(), [](std::uint8_t l) { return l != 0; });
  switch (answer.rule) {
  case ct::Rule::only:
    rule = left ? "static to kinetic" : "unique";
    break;
  case ct::Rule::present:
    rule = "present mode";
    break;
  case ct::Rule::fewest_changes:
    rule = "fewest changes";
    break;
  case ct::Rule::least_constraint:
    rule = "least constraint";
    break;
  case ct::Rule::ambiguous:
    rule = "ambiguous";
    break;
  case ct::Rule::none:
    break;
  }
  ambiguous = ambiguous || answer.rule == ct::Rule::ambiguous;
  if (impulses.empty()) solutions = answer.solutions;
  shared = !answer.answer.unique;
  return true;
}

} // namespace stickslip
