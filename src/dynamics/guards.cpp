// What ends a regime: its guards and their values.
#include "dynamics/regime.hpp"

#include "dynamics/regime_parts.hpp"

#include <algorithm>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;

namespace {

GuardTerms terms_of(const System& sys, const Regime& r, const Guard& g) {
  GuardTerms terms;
  const auto linear = [&](const Form& form, double sign) { terms.form = &form, terms.sign = sign; };
  const auto limit = [&](Index element, double weight, int side, bool held) {
    terms.limits.push_back({element, side, weight, held});
  };
  const int side = g.direction;
  switch (g.kind) {
  case GuardKind::none:
  case GuardKind::branch:
    break;
  case GuardKind::slip_ends:
  case GuardKind::kink:
    linear(sys.places[g.friction].velocity, -side);
    break;
  case GuardKind::surface_turns:
    linear(sys.places[g.friction].velocity, side);
    break;
  case GuardKind::load_sign:
    linear(sys.places[g.friction].load_force, -side);
    break;
  case GuardKind::breaks_away:
    terms.forces.push_back({g.friction, 1.0 * side});
    limit(g.friction, -side, side, true);
    break;
  case GuardKind::limit_again: // of the force, or of the lagged force that holds
    if (held_by_lag(sys.places[g.friction], r.modes, g.friction) != 0)
      terms.states.push_back({sys.places[g.friction].lagged, -1.0});
    else
      terms.forces.push_back({g.friction, -1.0 * side});
    limit(g.friction, side, side, false);
    break;
  case GuardKind::shared_limit: {
    const Facet& f = r.facets[g.facet];
    for (Index j = 0; j < f.members.count(); ++j) {
      const Index i = r.stuck[f.members[j]];
      const double share = side * f.share(j);
      terms.forces.push_back({i, share});
      limit(i, -share, share > 0.0 ? 1 : -1, true);
    }
    for (Index j = 0; j < f.contacts.count(); ++j)
      terms.forces.push_back({sys.places.count() + r.closed[f.contacts[j]], -side * f.contact_share(j)});
    break;
  }
  case GuardKind::opens:
    terms.forces.push_back({sys.places.count() + g.contact, -1.0});
    break;
  case GuardKind::closes:
    linear(sys.contacts[g.contact].gap, -1.0);
    break;
  case GuardKind::limit: {
    const LimitGuard& output = r.linear->guards[g.limit];
    linear(output.form, 1.0);
    for (Index i = 0; i < output.force.size(); ++i)
      if (output.force(i) != 0.0) terms.forces.push_back({i, output.force(i)});
    break;
  }
  }
  return terms;
}

double switch_value(const System& sys, const Regime& r, const Guard& g, const double* x, const double* s) {
  const Place& p = sys.places[g.friction];
  const FrictionMode& now = r.modes.friction[g.friction];
  double values[max_elements]; // a law has no more switches
  switch_guards(p.law, relative_velocity(p, x, s), now.direction(), now.branch, x + p.states, values);
  return values[g.bit];
}

} // namespace

void guard_values(const System& sys, const Regime& r, double t, const double* x, const double* s,
                  const double* force, double* g) {
  const ConstVector X(x, sys.nx), S(s, sys.ns());
  for (Index k = 0; k < r.guards.count(); ++k) {
    if (r.guards[k].kind == GuardKind::branch) {
      g[k] = switch_value(sys, r, r.guards[k], x, s);
      continue;
    }
    const GuardTerms& terms = r.guard_terms[k];
    double sum = 0.0;
    if (terms.form != nullptr) sum += terms.sign * (terms.form->x.dot(X) + terms.form->s.dot(S));
    for (const GuardTerms::Entry& e : terms.states) sum += e.factor * x[e.at];
    for (const GuardTerms::Entry& e : terms.forces) sum += e.factor * force[e.at];
    for (const GuardTerms::Limit& l : terms.limits) {
      const Interval limits = l.held ? holding_limits(sys, r.modes, l.element, t, x, s, force)
                                     : stick_limits(sys, sys.places[l.element],
                                                    r.modes.friction[l.element].load_sign, t, x, s, force);
      sum += l.weight * (l.side > 0 ? limits.hi : limits.lo);
    }
    g[k] = sum;
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
  for (const Guard& g : r.guards) r.guard_terms.push_back(terms_of(sys, r, g));
}

} // namespace stickslip
