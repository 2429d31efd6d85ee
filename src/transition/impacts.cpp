// Contacts at one instant: which touch, and what they do when they strike.
#include "core/error.hpp"
#include "transition/decision.hpp"
#include "transition/impact.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

double Decision::gap_at(std::size_t j) const {
  const Contact& c = sys.contacts[j];
  return c.gap.x.dot(state->base_x) + c.gap.s.dot(sig);
}

double Decision::rate_at(std::size_t j) const {
  const Contact& c = sys.contacts[j];
  return c.rate.x.dot(state->base_x) + c.rate.s.dot(sig);
}

double Decision::gap_size(std::size_t j) const {
  return sys.contacts[j].gap.x.cwiseAbs().dot(state->nominal) +
         sys.contacts[j].gap.s.cwiseAbs().dot(sig.cwiseAbs());
}

double Decision::rate_size(std::size_t j) const {
  return sys.contacts[j].rate.x.cwiseAbs().dot(state->nominal) +
         sys.contacts[j].rate.s.cwiseAbs().dot(sig.cwiseAbs());
}

void Decision::find_candidates(const std::vector<Guard>& fired, bool start) {
  const std::size_t nc = sys.contacts.size();
  std::vector<Index> touching; // takes part in an impact: without a force of its own as well
  bool approach = false;
  for (std::size_t j = 0; j < nc; ++j) {
    const double gap = gap_at(j), rate = rate_at(j);
    const bool was_closed = state->modes.contact[j] == Mode::closed;
    const double no_gap = 1e-11 * gap_size(j);
    const double no_rate = std::max(1e-11 * rate_size(j), was_closed ? drift(sys.contacts[j].rate.x) : 0.0);
    if (start && gap < -no_gap) {
      std::ostringstream what;
      what << "overlaps at the start by " << -gap << " m: its gap must be >= 0";
      reject("contact '" + sys.contacts[j].name + "'", what.str());
    }
    bool closes = false;
    for (const Guard& g : fired)
      closes = closes || (g.kind == GuardKind::closes && g.contact == static_cast<Index>(j));
    const bool touches_now = was_closed || closes || (std::abs(gap) <= no_gap && (start || rate < -no_rate));
    // A contact that an impact or a moving wall has set apart is open again.
    candidate[j] = touches_now && !(rate > no_rate);
    if (!candidate[j]) state->modes.contact[j] = Mode::open;
    if (candidate[j] || (std::abs(gap) <= no_gap && !(rate > no_rate)))
      touching.push_back(static_cast<Index>(j));
    approach = approach || (candidate[j] && rate < -no_rate);
  }
  if (approach && !struck) {
    strike(touching, true);
    if (!unsolved) find_candidates({}, false);
    return;
  }
  for (std::size_t j = 0; j < nc; ++j)
    if (candidate[j]) state->modes.contact[j] = Mode::closed;
}

namespace {

// One impact: its problem, and what each of its impulses moves.
struct Strike {
  contact::Impact problem;
  std::vector<const Vector*> rows, columns; // velocities; changes of x per unit of impulse
  std::vector<double> velocity, wall;
  std::vector<Vector> along; // columns of the tangents

  void add(const Vector& row, const Vector& column, double v, double of_wall) {
    rows.push_back(&row);
    columns.push_back(&column);
    velocity.push_back(v);
    wall.push_back(of_wall);
  }
  void finish(const std::vector<double>& friction) {
    const auto m = static_cast<Index>(rows.size());
    problem.G.resize(m, m);
    for (Index k = 0; k < m; ++k)
      for (Index l = 0; l < m; ++l)
        problem.G(k, l) = rows[static_cast<std::size_t>(k)]->dot(*columns[static_cast<std::size_t>(l)]);
    problem.friction = Eigen::Map<const Vector>(friction.data(), static_cast<Index>(friction.size()));
    problem.velocity = Eigen::Map<const Vector>(velocity.data(), m);
    problem.wall = Eigen::Map<const Vector>(wall.data(), m);
  }
};

} // namespace

// Impact of all contacts that touch. Those that stay, or rebound too slowly to be told from staying, are left
// closed.
void Decision::strike(const std::vector<Index>& touching, bool collision) {
  Strike hit;
  contact::Impact& p = hit.problem;
  p.contacts = static_cast<Index>(touching.size());
  p.collision = collision;
  p.restitution.resize(p.contacts);
  Index newton = 0;
  for (Index k = 0; k < p.contacts; ++k) {
    const auto j = static_cast<std::size_t>(touching[static_cast<std::size_t>(k)]);
    const Contact& c = sys.contacts[j];
    p.restitution(k) = collision ? c.restitution : 0.0;
    newton += c.impact == ImpactRule::newton;
    hit.add(c.rate.x, c.effect, rate_at(j), c.rate.s.dot(sig));
  }
  std::vector<double> friction;
  hit.along.reserve(touching.size());
  for (Index k = 0; k < p.contacts; ++k) {
    const Contact& c = sys.contacts[static_cast<std::size_t>(touching[static_cast<std::size_t>(k)])];
    if (c.place < 0) continue;
    const Place& place = sys.places[static_cast<std::size_t>(c.place)];
    p.contact_of.push_back(k);
    friction.push_back(c.impulsive_friction);
    hit.along.push_back(-place.effect); // per unit of tangential impulse in the direction of sliding
    hit.add(place.velocity.x, hit.along.back(), v(static_cast<std::size_t>(c.place)),
            place.velocity.s.dot(sig));
  }
  hit.finish(friction);
  // Poisson's law looks at impulses and Newton's at velocities: in one impact there can be only one of them.
  // Newton's serves where they differ, and the event says so.
  p.law = newton > 0 ? contact::ImpactLaw::newton : contact::ImpactLaw::poisson;
  jump->mixed_laws = jump->mixed_laws || (newton > 0 && newton < p.contacts);
  contact::ImpactWorkspace room;
  const contact::ImpactAnswer after = contact::impact(p, room);
  unsolved = after.solutions.empty();
  if (unsolved) return;
  const contact::ImpactSolution& best = after.solutions.front();
  for (std::size_t k = 0; k < hit.columns.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const double impulse = row < p.contacts ? best.impulse(row) : -best.impulse(row); // friction opposes
    state->base_x += *hit.columns[k] * impulse;
    // What rounding leaves of zero afterwards is measured by what the impact moved.
    state->nominal = state->nominal.cwiseMax((*hit.columns[k] * impulse).cwiseAbs());
  }
  struck = true;
  note_impulses(p, best, touching);
  close_after(touching);
  if (after.ambiguous) ambiguous = true;
  solutions = after.complete ? static_cast<Index>(after.solutions.size()) : -1;
}

void Decision::note_impulses(const contact::Impact& p, const contact::ImpactSolution& best,
                             const std::vector<Index>& touching) {
  const double loss = best.wall_work - best.energy_change;
  const double moved = best.impulse.cwiseAbs().dot(p.velocity.cwiseAbs() + best.velocity.cwiseAbs());
  jump->gains = jump->gains || loss < -1e-9 * moved;
  for (Index k = 0; k < p.contacts; ++k) {
    Impulse one;
    one.contact = touching[static_cast<std::size_t>(k)];
    one.normal = best.impulse(k);
    one.collision = p.collision;
    one.loss = k == 0 ? loss : 0.0;
    one.wall_work = -best.impulse(k) * p.wall(k);
    for (std::size_t q = 0; q < p.contact_of.size(); ++q) {
      const Index row = p.contacts + static_cast<Index>(q);
      if (p.contact_of[q] != k) continue;
      one.tangential = best.impulse(row);
      one.wall_work += best.impulse(row) * p.wall(row);
    }
    jump->add(one);
  }
}

void Decision::close_after(const std::vector<Index>& touching) {
  for (Index j : touching) {
    const auto u = static_cast<std::size_t>(j);
    // Impacts that follow each other faster and faster end here, in finite time: a rebound a billion times
    // slower than what this contact has seen counts as none.
    const bool stays = rate_at(u) <= 1e-9 * rate_size(u);
    state->modes.contact[u] = stays ? Mode::closed : Mode::open;
    if (stays)
      state->base_x -=
          sys.contacts[u].effect * (rate_at(u) / sys.contacts[u].rate.x.dot(sys.contacts[u].effect));
  }
}

} // namespace stickslip
