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
    const auto i = static_cast<std::size_t>(guard.element);
    switch (guard.kind) {
    case GuardKind::slip_ends:
    case GuardKind::kink:
      g[k] = -guard.side * relative_velocity(sys.places[i], x, s);
      break;
    case GuardKind::surface_turns:
      g[k] = guard.side * relative_velocity(sys.places[i], x, s);
      break;
    case GuardKind::breaks_away: {
      const Interval limits = holding_limits(sys, r.modes, i, t, x, s, force);
      g[k] = guard.side > 0 ? force[i] - limits.hi : limits.lo - force[i];
      break;
    }
    case GuardKind::limit_again: {
      const Interval limits = stick_limits(sys, sys.places[i], r.modes.load_sign[i], t, x, s, force);
      const double limit = guard.side > 0 ? limits.hi : -limits.lo;
      const bool by_lag = held_by_lag(sys.places[i], r.modes, i) != 0;
      g[k] = limit - (by_lag ? x[sys.places[i].lagged] : guard.side * force[i]);
      break;
    }
    case GuardKind::shared_limit: {
      const Facet& f = r.facets[i];
      double reach = 0.0, sum = 0.0;
      for (std::size_t j = 0; j < f.members.size(); ++j) {
        const Index m = r.stuck[static_cast<std::size_t>(f.members[j])];
        const Interval limits = holding_limits(sys, r.modes, static_cast<std::size_t>(m), t, x, s, force);
        const double share = guard.side * f.share(static_cast<Index>(j));
        reach += share * (share > 0.0 ? limits.hi : limits.lo);
        sum += share * force[m];
      }
      for (std::size_t j = 0; j < f.contacts.size(); ++j) {
        const Index c = r.closed[static_cast<std::size_t>(f.contacts[j])];
        sum -= guard.side * f.contact_share(static_cast<Index>(j)) *
               force[static_cast<Index>(sys.places.size()) + c];
      }
      g[k] = sum - reach;
      break;
    }
    case GuardKind::load_sign: {
      const Place& p = sys.places[i];
      g[k] = -guard.side *
             (p.load_force.x.dot(ConstVector(x, sys.nx)) + p.load_force.s.dot(ConstVector(s, sys.ns())));
      break;
    }
    case GuardKind::branch: {
      const Place& p = sys.places[i];
      double values[max_elements]; // a law has no more switches
      switch_guards(p.law, relative_velocity(p, x, s), r.modes.place[i], r.modes.branch[i], x + p.states,
                    values);
      g[k] = values[guard.side];
      break;
    }
    case GuardKind::opens:
      g[k] = -force[sys.places.size() + i];
      break;
    case GuardKind::closes: {
      const Form& gap = sys.contacts[i].gap;
      g[k] = -(gap.x.dot(ConstVector(x, sys.nx)) + gap.s.dot(ConstVector(s, sys.ns())));
      break;
    }
    case GuardKind::limit: {
      const LimitGuard& limit = r.linear->guards[i];
      g[k] = limit.form.x.dot(ConstVector(x, sys.nx)) + limit.form.s.dot(ConstVector(s, sys.ns())) +
             limit.force.dot(ConstVector(force, limit.force.size()));
      break;
    }
    }
  }
}

void list_guards(const System& sys, Regime& r) {
  for (Index i : r.stuck) {
    const auto u = static_cast<std::size_t>(i);
    if (const int side = held_by_lag(sys.places[u], r.modes, u); side != 0)
      r.guards.push_back({GuardKind::limit_again, i, side});
    if (r.shared || std::find(r.carried.begin(), r.carried.end(), i) != r.carried.end()) continue;
    r.guards.push_back({GuardKind::breaks_away, i, +1});
    r.guards.push_back({GuardKind::breaks_away, i, -1});
  }
  for (std::size_t f = 0; f < r.facets.size(); ++f) {
    if (r.facets[f].up) r.guards.push_back({GuardKind::shared_limit, static_cast<Index>(f), +1});
    if (r.facets[f].down) r.guards.push_back({GuardKind::shared_limit, static_cast<Index>(f), -1});
  }
  for (Index i : r.unstuck) {
    const auto u = static_cast<std::size_t>(i);
    const Place& p = sys.places[u];
    const int mode = r.modes.place[u];
    if (mode == 0) {
      for (int side : {+1, -1}) {
        if (r.modes.branch[u] == over_limit(side)) {
          r.guards.push_back({GuardKind::surface_turns, i, side});
          r.guards.push_back({GuardKind::limit_again, i, side});
        } else {
          r.guards.push_back({GuardKind::breaks_away, i, side});
        }
      }
    } else if (p.traits.sticks) {
      r.guards.push_back({GuardKind::slip_ends, i, mode});
    } else if (p.traits.kinked) {
      r.guards.push_back({GuardKind::kink, i, mode});
    }
    for (Index b = 0; b < p.traits.switches; ++b)
      r.guards.push_back({GuardKind::branch, i, static_cast<int>(b)});
  }
  std::vector<bool> leans(sys.contacts.size(), false); // watched by the facets
  for (const Index k : r.leaning)
    leans[static_cast<std::size_t>(r.closed[static_cast<std::size_t>(k)])] = true;
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    if (!leans[j])
      r.guards.push_back(
          {r.modes.contact[j] == static_cast<std::int8_t>(Mode::open) ? GuardKind::closes : GuardKind::opens,
           static_cast<Index>(j), 1});
  for (std::size_t i = 0; i < sys.places.size(); ++i)
    if (sys.places[i].load_force.x.size() > 0)
      r.guards.push_back({GuardKind::load_sign, static_cast<Index>(i), r.modes.load_sign[i]});
  for (std::size_t k = 0; k < r.linear->guards.size(); ++k)
    r.guards.push_back({GuardKind::limit, static_cast<Index>(k), 1});
}

} // namespace stickslip
