#include "sensitivity/law_slopes.hpp"

#include "dynamics/friction_force.hpp"
#include "sensitivity/same_force.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// Its load is a signal, and nothing but velocity and load determines its force and its limits.
bool is_simple(const Friction& p) {
  return is_curve(p, 1) && p.surface_travel < 0 && p.aged < 0 && p.rate_damping == 0.0;
}

} // namespace

bool LawSlopes::apply(const System& base, const List<Index>& changed) {
  return std::all_of(changed.begin(), changed.end(), [&](Index i) { return is_simple(base.friction[i]); });
}

LawSlopes::LawSlopes(const System& base, const Regime& regime)
    : sys(base), r(regime), no_state(Vector::Zero(base.nx)),
      no_force(Vector::Zero(base.friction.size() + base.contacts.size())) {
  const Index first = sys.friction.size();
  List<Index> held(first + sys.contacts.size(), -1), slides(first, -1);
  for (Index k = 0; k < r.sticking.size(); ++k) held[r.sticking[k]] = k;
  for (Index k = 0; k < r.closed.size(); ++k) held[first + r.closed[k]] = r.sticking.size() + k;
  for (Index k = 0; k < r.sliding.size(); ++k) slides[r.sliding[k]] = k;
  by_force.setZero(r.guards.size(), r.sliding.size());
  by_held.setZero(r.guards.size(), r.sticking.size() + r.closed.size());
  for (Index g = 0; g < r.guards.size(); ++g)
    for (const GuardTerms::Entry& e : r.guard_terms[g].forces)
      if (held[e.at] >= 0)
        by_force.row(g) += e.factor * r.LF.row(held[e.at]), by_held(g, held[e.at]) += e.factor;
      else if (e.at < first && slides[e.at] >= 0)
        by_force(g, slides[e.at]) += e.factor;
}

RegimeSlopes::Change LawSlopes::of(const Neighbours& p, const List<Index>& changed) const {
  RegimeSlopes::Change out;
  Vector rates = no_state;
  const auto changes = [&](Index i) { return std::find(changed.begin(), changed.end(), i) != changed.end(); };
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Index i = r.sliding[k];
    if (!changes(i)) continue;
    const Friction& own = sys.friction[i];
    const FrictionMode& mode = r.modes.friction[i];
    const auto force = [&](double v, double N) {
      return p.derivative([&](Replica& m) {
        const ElementForce<double> f = friction_force(m.system().friction[i], mode.force_side(), mode.branch,
                                                      v, N, no_state.data(), rates.data());
        return f.dry * N + f.other;
      });
    };
    const double by_load = force(0.0, 1.0), by_velocity = force(1.0, 0.0);
    const auto add = [&](List<Entry>& A, List<Entry>& B, Index row, double by) {
      if (by == 0.0) return;
      if (by_load != 0.0) B.push_back({row, own.load, by * by_load});
      if (by_velocity == 0.0) return;
      for (Index j = 0; j < sys.nx; ++j)
        if (own.velocity.x(j) != 0.0) A.push_back({row, j, by * by_velocity * own.velocity.x(j)});
      for (Index j = 0; j < sys.ns(); ++j)
        if (own.velocity.s(j) != 0.0) B.push_back({row, j, by * by_velocity * own.velocity.s(j)});
    };
    for (Index row = 0; row < sys.nx; ++row) add(out.A, out.B, row, r.E(row, k));
    for (Index g = 0; g < r.guards.size(); ++g) add(out.Gx, out.Gs, g, by_force(g, k));
  }
  for (Index g = 0; g < r.guards.size(); ++g)
    for (const GuardTerms::Limit& l : r.guard_terms[g].limits) {
      if (!changes(l.element)) continue;
      const double slope = slope_of_limit(l, p);
      if (slope != 0.0) out.Gs.push_back({g, sys.friction[l.element].load, l.weight * slope});
    }
  return out;
}

double LawSlopes::limit_per_load(const GuardTerms::Limit& l, const System& of) const {
  const Friction& p = of.friction[l.element];
  const Vector s = Vector::Unit(of.ns(), p.load);
  const double *const x = no_state.data(), *const force = no_force.data();
  const Interval limits =
      l.held ? holding_limits(of, r.modes, l.element, 0.0, x, s.data(), force)
             : stick_limits(of, p, r.modes.friction[l.element].load_stretch, 0.0, x, s.data(), force);
  return l.side > 0 ? limits.hi : limits.lo;
}

double LawSlopes::slope_of_limit(const GuardTerms::Limit& l, const Neighbours& p) const {
  return p.derivative([&](Replica& m) { return limit_per_load(l, m.system()); });
}

// The load is a signal, and nothing else determines a limit.
bool has_simple_limits(const System& sys, const Regime& r, Index guard) {
  const GuardTerms& terms = r.guard_terms[guard];
  return r.guards[guard].kind != GuardKind::branch && r.guards[guard].flank < 0 &&
         std::all_of(
             terms.limits.begin(), terms.limits.end(),
             [&](const GuardTerms::Limit& l) { return is_simple(sys.friction[l.element]); });
}

} // namespace stickslip
