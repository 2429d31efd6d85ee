// Admissible modes hold on an interval after t, not at t alone: decided by the first terms of their guards.
#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"
#include "transition/guard_series.hpp"
#include "transition/mode_search.hpp"
#include "transition/shared_forces.hpp"
#include "transition/supports.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

using Row = std::array<double, series_terms>;

// States of the automaton when an element leaves rest: the lag starts with the holding force, the curve with the level
// reached. leaving: elements whose force is still at its static level.
void leave_rest(Instant& at, const ActiveSet& active, const ModeProblem& posed, const contact::Candidate& c,
                const List<std::uint8_t>& leaving) {
  double* x = at.x();
  for (Index q = 0; q < posed.elements.size(); ++q) {
    const Index i = posed.elements[q];
    if (!leaving.empty() && leaving[q] != 0) at.mode(i).hold = Hold::leaving;
    const Friction& p = at.sys.friction[i];
    const int d = at.mode(i).direction();
    if (!active.rests[i] || d == 0 || at.was(i).direction() == d) continue;
    const Interval unit = unit_limits(p, at.load(i), at.t, x);
    double held = at.contact_friction(i) ? (d > 0 ? unit.hi : unit.lo) : c.force[posed.closed.size() + q];
    if (!at.was(i).sticks() && at.contact_friction(i) && p.lagged >= 0)
      held = d * std::min(x[p.lagged], d * held);
    if (p.peak >= 0 && at.was(i).sticks()) x[p.peak] = aged_share(p, at.t, x);
    if (p.lagged >= 0) x[p.lagged] = std::max(0.0, d * held);
  }
}

// Normal forces and sliding friction determine each other unless a contact's sliding gain w_N . M^-1 (w_N - mu w_T) is
// zero: then solvable equations leave forces and motion indeterminate.
bool determines_forces(const Instant& at, const Regime& r) {
  if (!r.coupled) return true;
  if (std::abs(coupling(at.sys, r, at.t, at.x(), at.s(), at.w)) > tolerance::residual) return true;
  for (const Index i : r.sliding)
    if (const Index c = loading_contact(at.sys.friction[i]);
        c >= 0 && at.state->modes.contact[c] == Mode::closed)
      at.jump->unresisting = c;
  return false;
}

// Elements whose limits contradict each other leave together.
void note_contradiction(const ModeProblem& posed, ModeSearch& search) {
  for (const ForceLimit& l : search.broken)
    for (Index q = 0; q < posed.elements.size(); ++q)
      if (posed.elements[q] == l.force)
        search.overrun.resize(posed.elements.size(), 0), search.overrun[q] = l.side;
}

// An element that would exceed its limit leaves rest; elements that share a force leave together.
void note_overrun(const ModeProblem& posed, const Regime& r, const Guard& g, ModeSearch& search) {
  const auto leaves = [&](Index element, int side) {
    for (Index q = 0; q < posed.elements.size(); ++q)
      if (posed.elements[q] == element) search.overrun[q] = side;
  };
  if (g.kind != GuardKind::breaks_away && g.kind != GuardKind::shared_limit) return;
  search.overrun.resize(posed.elements.size(), 0);
  if (g.kind == GuardKind::breaks_away) return leaves(g.friction, g.direction);
  for_each_leaving(r, g, leaves);
}

// This instant decides the mode to which the guard belongs.
bool is_open(const Guard& g, const ActiveSet& active) {
  if (g.traits().first_by_forces < 0) return g.kind == GuardKind::shared_limit;
  return g.contact >= 0 ? active.touching[g.contact] : active.rests[g.friction];
}

// Order of the first nonzero coefficient of a guard, according to the answer of a problem of first terms; -1:
// undetermined.
Index settled_order(const ModeProblem& posed, const contact::Candidate& c, const Guard& g) {
  if (!STICKSLIP_RULE("settled_order") || posed.order == 0 || g.kind == GuardKind::shared_limit) return -1;
  const Index k = posed.component_of(g);
  if (k < 0 || c.touching[k] != 0) return -1;
  const bool of_level =
      g.kind == GuardKind::breaks_away && posed.problem.elements[k - posed.closed.size()].contact < 0;
  return of_level ? 0 : std::max<Index>(g.traits().first_by_forces, 0) + posed.order;
}

// Orders of the first terms of the accelerations with which elements leave, counted from 1.
void order_departures(const ModeProblem& posed, const Regime& r, const List<std::int8_t>& zeros,
                      List<std::uint8_t>& leaving) {
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Index component = posed.component_of(r.guards[k]), q = component - posed.closed.size();
    const Index first = r.guards[k].traits().first_by_forces;
    if (r.guards[k].friction >= 0 && first > 0 && component >= 0 && leaving[q] != 0)
      leaving[q] = static_cast<std::uint8_t>(std::max<Index>(zeros[k] - first, 0) + 1);
  }
}

// Removes the coefficients of an undecided component that are below the error of the problem, which knows how well the
// instant is known. Higher coefficients decide.
void drop_rounding(const ModeProblem& posed, const contact::Candidate& c, Index component, const Guard& g,
                   Row& row) {
  const Index first = g.traits().first_by_forces; // a force, or an acceleration divided by a factorial
  if (!STICKSLIP_RULE("drop_rounding") || first < 0 || c.touching[component] == 0) return;
  double size = c.size[component];
  for (Index j = first; j < std::ssize(row); ++j, size /= posed.pace)
    if (double& term = row[static_cast<std::size_t>(j)]; std::abs(term) <= tolerance::product * size)
      term = 0.0;
}

// Sign of the guard of an undecided component just after t.
SignAfter sign_of(const Instant& at, const ModeProblem& posed, const Regime& r, Index k, Row row) {
  const Guard& g = r.guards[k];
  if (STICKSLIP_RULE("drop_passing"))
    drop_passing_terms(row, tolerance::last_digits * std::max(std::abs(at.t), posed.pace));
  std::fill_n(row.begin(), std::max<Index>(g.traits().first_by_forces, 0), 0.0);
  const bool moves = std::any_of(row.begin(), row.end(), [](double a) { return a != 0.0; });
  if (g.friction >= 0 && g.traits().first_by_forces > 0 && !moves)
    return {1, 0}; // the relative velocity stays zero, so the element does not slip
  const double size = guard_size(at.sys, r, g, at.t, at.x(), at.s(), at.w.force.data(), at.state->nominal);
  return sign_after([&](int j) { return row[static_cast<std::size_t>(j)]; }, size, posed.pace, at.t);
}

} // namespace

bool is_admissible(Instant& at, const ActiveSet& active, const ModeProblem& posed,
                   const contact::Candidate& c, List<std::uint8_t>& leaving, ModeSearch& search) {
  Modes& modes = at.state->modes;
  modes = search.entry;
  at.state->base_x = search.entry_x;
  posed.apply(c, active, modes);
  leave_rest(at, active, posed, c, leaving);
  const Regime* r = &at.regime(modes); // no force is held at a limit yet
  if (at.tangent != nullptr && r->found.directions > 0) {
    modes.open = r->found;
    r = &at.regime(modes);
  }
  if (r->affine || r->shared || at.tangent != nullptr) at.expand_signals();
  search.doubted = search.doubted || !r->affine; // series by differences prove nothing
  if (!determines_forces(at, *r)) {
    search.doubted = true;
    return false;
  }
  if (!stay_together(at, *r)) return false;
  guard_series(at, *r, search.series);
  if (r->sharing.any()) {
    if (!share(at, *r, search.series, posed.pace, search.broken)) {
      note_contradiction(posed, search);
      return false;
    }
    if (!modes.at_limit.empty()) r = &at.regime(modes), guard_series(at, *r, search.series);
  }
  List<std::int8_t> zeros(r->guards.size(), -1);
  for (Index k = 0; k < r->guards.size(); ++k) {
    const Guard& g = r->guards[k];
    if (!is_open(g, active)) continue;
    if (const Index order = settled_order(posed, c, g); order >= 0) {
      zeros[k] = static_cast<std::int8_t>(order);
      continue;
    }
    Row row{};
    for (int j = 0; j < series_terms; ++j) row[static_cast<std::size_t>(j)] = search.series(k, j);
    if (const Index component = posed.component_of(g); component >= 0)
      drop_rounding(posed, c, component, g, row);
    const SignAfter after = sign_of(at, posed, *r, k, row);
    zeros[k] = after.order;
    if (after.sign <= 0) continue;
    note_overrun(posed, *r, g, search);
    return false;
  }
  if (!leaving.empty())
    order_departures(posed, *r, zeros, leaving);
  else
    search.admitted.push_back({c.modes, modes.at_limit, modes.open, std::move(zeros)});
  return true;
}

} // namespace stickslip
