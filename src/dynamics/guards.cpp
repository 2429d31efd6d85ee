// What ends a regime: its guards and their values.
#include "dynamics/regime.hpp"

#include "dynamics/regime_parts.hpp"

#include <algorithm>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;

void guard_values(const System& sys, const Regime& r, double t, const double* x, const double* s,
                  const double* force, double* g) {
  for (std::size_t k = 0; k < r.guards.size(); ++k) {
    const Guard& guard = r.guards[k];
    const int i = guard.friction;
    switch (guard.kind) {
    case GuardKind::none:
      break;
    case GuardKind::slip_ends:
    case GuardKind::kink:
      g[k] = -guard.direction * relative_velocity(sys.places[i], x, s);
      break;
    case GuardKind::surface_turns:
      g[k] = guard.direction * relative_velocity(sys.places[i], x, s);
      break;
    case GuardKind::breaks_away: {
      const Interval limits = holding_limits(sys, r.modes, i, t, x, s, force);
      g[k] = guard.direction > 0 ? force[i] - limits.hi : limits.lo - force[i];
      break;
    }
    case GuardKind::limit_again: {
      const Interval limits = stick_limits(sys, sys.places[i], r.modes.friction[i].load_sign, t, x, s, force);
      const double limit = guard.direction > 0 ? limits.hi : -limits.lo;
      const bool by_lag = held_by_lag(sys.places[i], r.modes, i) != 0;
      g[k] = limit - (by_lag ? x[sys.places[i].lagged] : guard.direction * force[i]);
      break;
    }
    case GuardKind::shared_limit: {
      const Facet& f = r.facets[guard.facet];
      double reach = 0.0, sum = 0.0;
      for (std::size_t j = 0; j < f.members.size(); ++j) {
        const Index m = r.stuck[f.members[j]];
        const Interval limits = holding_limits(sys, r.modes, static_cast<std::size_t>(m), t, x, s, force);
        const double share = guard.direction * f.share(static_cast<Index>(j));
        reach += share * (share > 0.0 ? limits.hi : limits.lo);
        sum += share * force[m];
      }
      for (std::size_t j = 0; j < f.contacts.size(); ++j) {
        const Index c = r.closed[f.contacts[j]];
        sum -= guard.direction * f.contact_share(static_cast<Index>(j)) *
               force[static_cast<Index>(sys.places.size()) + c];
      }
      g[k] = sum - reach;
      break;
    }
    case GuardKind::load_sign: {
      const Place& p = sys.places[i];
      g[k] = -guard.direction *
             (p.load_force.x.dot(ConstVector(x, sys.nx)) + p.load_force.s.dot(ConstVector(s, sys.ns())));
      break;
    }
    case GuardKind::branch: {
      const Place& p = sys.places[i];
      double values[max_elements]; // a law has no more switches
      switch_guards(p.law, relative_velocity(p, x, s), r.modes.friction[i].direction(),
                    r.modes.friction[i].branch, x + p.states, values);
      g[k] = values[guard.bit];
      break;
    }
    case GuardKind::opens:
      g[k] = -force[sys.places.count() + guard.contact];
      break;
    case GuardKind::closes: {
      const Form& gap = sys.contacts[guard.contact].gap;
      g[k] = -(gap.x.dot(ConstVector(x, sys.nx)) + gap.s.dot(ConstVector(s, sys.ns())));
      break;
    }
    case GuardKind::limit: {
      const LimitGuard& limit = r.linear->guards[guard.limit];
      g[k] = limit.form.x.dot(ConstVector(x, sys.nx)) + limit.form.s.dot(ConstVector(s, sys.ns())) +
             limit.force.dot(ConstVector(force, limit.force.size()));
      break;
    }
    }
  }
}

void list_guards(const System& sys, Regime& r) {
  const auto watch = [&](GuardKind kind, Index element, int direction) {
    r.guards.push_back(Guard::of_friction(kind, element, direction));
  };
  for (Index i : r.stuck) {
    if (const int side = held_by_lag(sys.places[i], r.modes, i); side != 0)
      watch(GuardKind::limit_again, i, side);
    if (r.shared || std::find(r.carried.begin(), r.carried.end(), i) != r.carried.end()) continue;
    watch(GuardKind::breaks_away, i, +1);
    watch(GuardKind::breaks_away, i, -1);
  }
  for (Index f = 0; f < r.facets.count(); ++f) {
    if (r.facets[f].up) r.guards.push_back(Guard::of_facet(f, +1));
    if (r.facets[f].down) r.guards.push_back(Guard::of_facet(f, -1));
  }
  for (Index i : r.unstuck) {
    const LawTraits& law = sys.places[i].traits;
    const FrictionMode& now = r.modes.friction[i];
    if (now.sticks()) {
      for (int side : {+1, -1}) {
        if (side_above(now.hold) == side) {
          watch(GuardKind::surface_turns, i, side);
          watch(GuardKind::limit_again, i, side);
        } else {
          watch(GuardKind::breaks_away, i, side);
        }
      }
    } else if (law.sticks) {
      watch(GuardKind::slip_ends, i, now.direction());
    } else if (law.kinked) {
      watch(GuardKind::kink, i, now.direction());
    }
    for (Index bit = 0; bit < law.switches; ++bit) r.guards.push_back(Guard::of_switch(i, bit));
  }
  std::vector<bool> leans(sys.contacts.size(), false); // watched by the facets
  for (const Index k : r.leaning) leans[static_cast<std::size_t>(r.closed[k])] = true;
  for (Index j = 0; j < sys.contacts.count(); ++j)
    if (!leans[static_cast<std::size_t>(j)])
      r.guards.push_back(
          Guard::of_contact(r.modes.contact[j] == Mode::open ? GuardKind::closes : GuardKind::opens, j));
  for (Index i = 0; i < sys.places.count(); ++i)
    if (sys.places[i].load_force.x.size() > 0) watch(GuardKind::load_sign, i, r.modes.friction[i].load_sign);
  for (std::size_t k = 0; k < r.linear->guards.size(); ++k)
    r.guards.push_back(Guard::of_limit(static_cast<Index>(k)));
}

} // namespace stickslip
