// Changes of mode within a step of the fixed-step form.
#include "realtime/real_time.hpp"
#include "transition/automaton_states.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

// Everything that has fired at this instant, and what follows from it without any time passing. Guards at the
// instant are in ge, those at the end of the part in gb; the one that was located fires whatever rounding
// says, and with it those that are the same.
void RealTime::change(std::size_t which) noexcept {
  const double t = time() + at;
  const RealTimePlan& old = *plan;
  const Regime& r = *old.regime;
  const double* s = all(a);
  bool stops = false, limits = false;
  const double least = std::min(ge[which], 0.0);
  for (std::size_t k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (!(ge[k] > old.tolerance[k] || (gb[k] > old.tolerance[k] && ge[k] >= least))) continue;
    const auto i = static_cast<std::size_t>(std::max(g.friction, 0));
    switch (g.kind) {
    case GuardKind::none:
      break;
    case GuardKind::slip_ends: {
      const Place& p = sys.places[i];
      const int was = now.friction[i].direction();
      const double N = normal_load(p, now.friction[i].load_sign, a.x, s);
      if (p.surface_travel < 0)
        start_clock(p, was, N, t, a.x), stops = true;
      else
        change_mode(p, was, 0, 0.0, N, t, a.x);
      now.friction[i].enter(Mode::stick, initial_branch(p.law));
      came_from(g.friction) = was; // whence it came
      break;
    }
    case GuardKind::breaks_away:
      if (sys.places[i].surface_travel < 0 || moves_towards(i, g.direction))
        release(i, g.direction);
      else
        now.friction[i].hold = above_limit(g.direction);
      break;
    case GuardKind::surface_turns:
      release(i, g.direction);
      break;
    case GuardKind::limit_again:
      now.friction[i].hold = Hold::by_limit;
      break;
    case GuardKind::shared_limit:
      release_together(r, g.facet, g.direction);
      break;
    case GuardKind::kink:
      now.friction[i].enter(slip(-now.friction[i].direction()), initial_branch(sys.places[i].law));
      break;
    case GuardKind::load_sign:
      now.friction[i].load_sign *= -1;
      break;
    case GuardKind::branch:
      now.friction[i].branch = switch_branch(sys.places[i].law, now.friction[i].branch, g.bit);
      break;
    case GuardKind::opens:
    case GuardKind::closes:
      break; // there are no contacts here
    case GuardKind::limit:
      if (!limits) prepare_limits();
      limits = true;
      limit_fired(static_cast<std::size_t>(g.limit));
      break;
    }
  }
  plan = &plan_of(now);
  have_values = false;
  if (stops) meet_surfaces(a);
  // What the new forces ask of places that hold: at most every place lets go once.
  for (std::size_t round = 0; round <= sys.places.size() && !plan->held.empty(); ++round) {
    const Regime& next = *plan->regime;
    if (!plan->curved.empty() && !have_values) forces_at_a();
    guards_at(a, 0.0, ge.data());
    // One after the other, first the one that is furthest beyond its limits: it may relieve the rest.
    double worst = 0.0;
    std::size_t first = next.guards.size();
    for (std::size_t k = 0; k < next.guards.size(); ++k) {
      const Guard& g = next.guards[k];
      const bool rigid = g.kind == GuardKind::breaks_away && sys.places[g.friction].surface_travel < 0;
      if (!(ge[k] > plan->tolerance[k]) || !(rigid || g.kind == GuardKind::shared_limit)) continue;
      const double beyond = ge[k] / plan->tolerance[k];
      if (first == next.guards.size() || beyond > worst) worst = beyond, first = k;
    }
    const bool lets_go = first < next.guards.size();
    if (lets_go) {
      const Guard& g = next.guards[first];
      if (g.kind == GuardKind::breaks_away)
        release(static_cast<std::size_t>(g.friction), g.direction);
      else
        release_together(next, g.facet, g.direction);
    }
    if (!lets_go) break;
    plan = &plan_of(now);
    have_values = false;
  }
  came_from.setZero();
}

void RealTime::release_together(const Regime& r, Index facet, int side) noexcept {
  const Facet& f = r.facets[facet];
  for (Index j = 0; j < f.members.count(); ++j)
    release(static_cast<std::size_t>(r.stuck[f.members[j]]), f.share(j) * side > 0.0 ? 1 : -1);
}

// A stuck place slides from here on. One that came to rest at this same instant only turns round and keeps
// its force.
void RealTime::release(std::size_t i, int side) noexcept {
  if (!now.friction[i].sticks()) return;
  const Place& p = sys.places[i];
  const double* s = all(a);
  const bool has_states = p.lagged >= 0 || p.peak >= 0;
  if (has_states && came_from(static_cast<Index>(i)) == 0.0)
    change_mode(p, 0, side, relative_velocity(p, a.x, s), normal_load(p, now.friction[i].load_sign, a.x, s),
                time() + at, a.x);
  now.friction[i].enter(slip(side), initial_branch(p.law));
}

bool RealTime::moves_towards(std::size_t i, int side) noexcept {
  const Place& p = sys.places[i];
  const double* s = all(a);
  const double v = relative_velocity(p, a.x, s);
  if (std::abs(v) > velocity_tolerance(static_cast<Index>(i))) return v * side > 0.0;
  f1.setZero();
  evaluate(sys, *plan->regime, time() + at, a.x, s, f1.data(), force.data(), w);
  return (p.velocity.x.dot(f1) + p.acceleration_s.dot(full)) * side >= 0.0;
}

} // namespace stickslip
