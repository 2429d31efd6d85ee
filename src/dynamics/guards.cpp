// Guards of a regime and their values.
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/tangent.hpp"
#include "model/relay_form.hpp"

#include <algorithm>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;

// The linear form that a guard is the value of; null where it is none.
const Form* form_of(const System& sys, const Regime& r, const Guard& g) {
  if (g.traits().sign == 0) return nullptr;
  if (g.flank >= 0) return &r.linear->flank_guards[g.flank_guard].form;
  const bool velocity = g.traits().value == GuardValue::velocity;
  if (g.contact >= 0) return velocity ? &sys.contacts[g.contact].rate : &sys.contacts[g.contact].gap;
  const Friction& p = sys.friction[g.friction];
  if (g.kind == GuardKind::reaches_seat) return &p.way;
  if (g.kind == GuardKind::passes_crest) return &p.crests[g.direction > 0 ? 1 : 0];
  const Index corner = r.modes.friction[g.friction].load_stretch - (g.direction > 0 ? 0 : 1);
  return velocity ? &p.velocity : &p.load_corners[corner];
}

namespace {

GuardTerms terms_of(const System& sys, const Regime& r, const Guard& g) {
  GuardTerms terms;
  if (const Form* const form = form_of(sys, r, g)) terms.form = form, terms.sign = g.sign();
  const auto limit = [&](Index element, double weight, int side, bool held) {
    terms.limits.push_back({element, side, weight, held});
  };
  const int side = g.direction;
  switch (g.kind) {
  case GuardKind::breaks_away:
    terms.forces.push_back({g.friction, 1.0 * side});
    limit(g.friction, -side, side, true);
    break;
  case GuardKind::limit_again: // of the force, or of the lagged force that holds
    if (held_by_lag(sys.friction[g.friction], r.modes, g.friction) != 0)
      terms.states.push_back({sys.friction[g.friction].lagged, -1.0});
    else
      terms.forces.push_back({g.friction, -1.0 * side});
    limit(g.friction, side, side, false);
    break;
  case GuardKind::shared_limit: {
    const Facet& f = r.facets[g.facet];
    for (Index j = 0; j < f.members.size(); ++j) {
      const Index i = r.sticking[f.members[j]];
      const double share = side * f.share(j);
      terms.forces.push_back({i, share});
      limit(i, -share, share > 0.0 ? 1 : -1, true);
    }
    break;
  }
  case GuardKind::sharing_changes:
    return sharing_terms(sys, r, g.limit);
  case GuardKind::lifts_off:
    terms.forces.push_back({sys.friction.size() + g.contact, -1.0});
    break;
  case GuardKind::saturation: {
    const SaturationGuard& output = r.linear->guards[g.saturation];
    terms.form = &output.form, terms.sign = 1.0;
    for (Index i = 0; i < output.force.size(); ++i)
      if (output.force(i) != 0.0) terms.forces.push_back({i, output.force(i)});
    break;
  }
  default:
    break;
  }
  return terms;
}

double switch_value(const System& sys, const Regime& r, const Guard& g, const double* x, const double* s) {
  const Friction& p = sys.friction[g.friction];
  const FrictionMode& now = r.modes.friction[g.friction];
  double values[max_elements]; // a law has no more switches
  switch_guards(p.law, relative_velocity(p, x, s), now.force_side(), now.branch, x + p.states, values);
  return values[g.bit];
}

void guard_values_here(const System& sys, const Regime& r, double t, const double* x, const double* s,
                       const double* force, double* g) {
  const ConstVector X(x, sys.nx), S(s, sys.ns());
  for (Index k = 0; k < r.guards.size(); ++k) {
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
                                     : stick_limits(sys, sys.friction[l.element],
                                                    r.modes.friction[l.element].load_stretch, t, x, s, force);
      sum += l.weight * (l.side > 0 ? limits.hi : limits.lo);
    }
    g[k] = sum;
  }
}

} // namespace

void guard_values(const System& sys, const Regime& r, double t, const double* x, const double* s,
                  const double* force, double* g, Scratch& w) {
  if (!sys.smooth) return guard_values_here(sys, r, t, x, s, force, g);
  Tangent& at = w.tangent(sys);
  at.move_to(t, x, r.modes.sides);
  if (!at.bare()) guard_values_here(at.system, at.reactions(r.modes).regime, t, x, at.signals(s), force, g);
  for (Index k = 0; k < r.guards.size(); ++k)
    if (const Index c = r.guards[k].condition; c >= 0)
      g[k] = -r.modes.sides[c] * at.formulas.condition(c);
    else if (r.guards[k].kind == GuardKind::load_negative)
      g[k] = -at.formulas.load(r.guards[k].friction);
}

double gap_size(const Contact& contact, const Vector& nominal, const double* s) {
  return size_of(contact.gap, nominal, s);
}

double holding_terms(const System& sys, const Regime& r, Index row, const double* x, const double* s,
                     const double* force) {
  const Index np = sys.friction.size();
  if (sys.smooth || sys.tangent || row < 0)
    return ConstVector(force, np + sys.contacts.size()).cwiseAbs().maxCoeff();
  double size = r.Lx.row(row).cwiseAbs().dot(ConstVector(x, sys.nx).cwiseAbs()) +
                r.Ls.row(row).cwiseAbs().dot(ConstVector(s, sys.ns()).cwiseAbs());
  for (Index i = 0; i < r.sliding.size(); ++i) size += std::abs(r.LF(row, i) * force[r.sliding[i]]);
  return size;
}

double guard_size(const System& sys, const Regime& r, const Guard& g, double t, const double* x,
                  const double* s, const double* force, const Vector& nominal) {
  const auto limits = [&](Index i) {
    return stick_limits(sys, sys.friction[i], r.modes.friction[i].load_stretch, t, x, s, force);
  };
  if (g.friction >= 0 && g.traits().value == GuardValue::velocity)
    return velocity_size(sys.friction[g.friction], nominal);
  switch (g.kind) {
  case GuardKind::breaks_away:
  case GuardKind::limit_again: {
    const Interval held = limits(g.friction);
    return std::abs(held.lo) + std::abs(held.hi) + std::abs(force[g.friction]);
  }
  case GuardKind::shared_limit: {
    double size = 0.0;
    for (const Index m : r.facets[g.facet].members) {
      const Interval held = limits(r.sticking[m]);
      size += held.hi - held.lo;
    }
    return size;
  }
  case GuardKind::sharing_changes:
    return sharing_size(sys, r, g.limit, t, x, s, force);
  case GuardKind::lifts_off:
    return std::max(holding_terms(sys, r, normal_row(r, g.contact), x, s, force),
                    std::abs(force[sys.friction.size() + g.contact]));
  case GuardKind::saturation:
    return r.linear->guards[g.saturation].form.x.cwiseAbs().dot(ConstVector(x, sys.nx).cwiseAbs());
  case GuardKind::load_corner:
    return 0.0;
  default:
    const Form* const form = form_of(sys, r, g);
    return form == nullptr ? 0.0 : size_of(*form, nominal, s);
  }
}

namespace {

GuardKind kind_of(const System& sys, const Modes& modes, const FlankGuard& g) {
  const Flank& f = sys.flanks[g.flank];
  const auto side = [&](const FlankMode& m) { return m.loose ? 0 : f.side[m.stretch]; };
  const int now = side(modes.flank[g.flank]), then = side(g.next);
  return now == then ? GuardKind::corner : then != 0 ? GuardKind::touches : GuardKind::leaves;
}

} // namespace

static void watch(Regime& r, GuardKind kind, Index element, int direction) {
  r.guards.push_back(Guard::of_friction(kind, element, direction));
}

static void list_guards_of_sticking(const System& sys, Regime& r) {
  for (Index i : r.sticking) {
    if (const int side = held_by_lag(sys.friction[i], r.modes, i); side != 0)
      watch(r, GuardKind::limit_again, i, side);
    if (!r.facets.empty()) continue;
    for (const std::int8_t side : {std::int8_t{1}, std::int8_t{-1}})
      if (!is_shared(r, {i, side})) watch(r, GuardKind::breaks_away, i, side);
  }
  for (Index f = 0; f < r.facets.size(); ++f)
    for (const int side : {+1, -1}) r.guards.push_back(Guard::of_facet(f, side));
  for (Index k = 0; k < r.sharing.limits.size(); ++k) r.guards.push_back(Guard::of_limit(k));
}

static void list_guards_of_sliding(const System& sys, Regime& r) {
  for (Index i : r.sliding) {
    const LawTraits& law = sys.friction[i].traits;
    const FrictionMode& now = r.modes.friction[i];
    if (now.sticks() && now.force_side() != 0) { // along a prescribed motion, whose breakpoint ends the rest
    } else if (now.sticks()) {
      for (int side : {+1, -1}) {
        if (side_above(now.hold) == side) {
          watch(r, GuardKind::surface_turns, i, side);
          watch(r, GuardKind::limit_again, i, side);
        } else {
          watch(r, GuardKind::breaks_away, i, side);
        }
      }
    } else if (law.sticks && !now.free) {
      const Friction& p = sys.friction[i];
      if (!only_switches(p))
        watch(r, p.has_seat() ? GuardKind::reaches_seat : GuardKind::slip_ends, i, now.direction());
      if (!p.crests.empty())
        watch(r, GuardKind::passes_crest, i, is_relay(p) ? -now.direction() : now.direction());
    } else if (law.reversal_switches || (now.free && !law.affine)) {
      watch(r, GuardKind::velocity_reversal, i, now.direction());
    }
    for (Index bit = 0; bit < law.switches; ++bit) r.guards.push_back(Guard::of_switch(i, bit));
  }
}

void list_guards(const System& sys, Regime& r) {
  list_guards_of_sticking(sys, r);
  list_guards_of_sliding(sys, r);
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (!sys.contacts[j].yields() && !is_shared(r, {sys.friction.size() + j, -1}))
      r.guards.push_back(Guard::of_contact(r.modes.contact[j] != Mode::open ? GuardKind::lifts_off
                                           : sys.contacts[j].of_velocity    ? GuardKind::locks
                                                                            : GuardKind::closes,
                                           j));
  for (Index i = 0; i < sys.friction.size(); ++i)
    for (const int side : {+1, -1}) {
      const Index corner = r.modes.friction[i].load_stretch - (side > 0 ? 0 : 1);
      if (corner >= 0 && corner < sys.friction[i].load_corners.size())
        watch(r, GuardKind::load_corner, i, side);
    }
  for (Index k = 0; k < r.linear->flank_guards.size(); ++k)
    r.guards.push_back(Guard::of_flank(kind_of(sys, r.modes, r.linear->flank_guards[k]),
                                       r.linear->flank_guards[k].flank, k));
  for (Index k = 0; k < r.linear->guards.size(); ++k) r.guards.push_back(Guard::of_saturation(k));
  if (sys.smooth)
    for (const Smooth::Value& load : sys.smooth->loads) watch(r, GuardKind::load_negative, load.signal, 0);
  if (!r.modes.sides.empty()) {
    const List<char> matters = live(sys.smooth->tape, r.modes.sides.data()).conditions;
    for (Index k = 0; k < matters.size(); ++k)
      if (matters[k]) r.guards.push_back(Guard::of_condition(k));
  }
  for (const Guard& g : r.guards) r.guard_terms.push_back(terms_of(sys, r, g));
}

} // namespace stickslip
