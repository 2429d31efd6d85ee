// Admissible means on an interval after t, not at t alone: the guards of a candidate are followed a little.
#include "contact/share.hpp"
#include "core/switches.hpp"
#include "core/tolerances.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/tangent.hpp"
#include "transition/decision.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

void Decision::expand_signals() {
  signal_series.resize(sys.ns(), series_terms);
  coefficients.resize(series_terms);
  for (Index i = 0; i < sys.ns(); ++i) {
    taylor(sys.signals[i], t, series_terms, coefficients.data());
    signal_series.row(i) = coefficients.transpose();
  }
  if (here != nullptr) signal_series.col(0) = sig; // those that follow the state; how, the flow knows
}

// What the automaton's states become where an element leaves rest: the lag starts with the force that was held, the
// curve with the level that was reached.
void Decision::leave_rest(const contact::Candidate& c) {
  double* x = state->base_x.data();
  for (Index q = 0; q < elements.size(); ++q) {
    const Index i = elements[q];
    const Friction& p = sys.friction[i];
    const int d = state->modes.friction[i].direction();
    if (!rests[i] || d == 0 || before.friction[i].direction() == d) continue;
    const Interval unit = unit_limits(p, t, x);
    double held = contact_friction(i) ? (d > 0 ? unit.hi : unit.lo) : c.force[closed.size() + q];
    if (!before.friction[i].sticks() && contact_friction(i) && p.lagged >= 0)
      held = d * std::min(x[p.lagged], d * held);
    if (p.peak >= 0 && before.friction[i].sticks()) x[p.peak] = aged_share(p, t, x);
    if (p.lagged >= 0) x[p.lagged] = std::max(0.0, d * held);
  }
}

// Normal forces and the friction that slides under them determine each other, unless a contact's sliding gain
// w_N . M^-1 (w_N - mu w_T) is zero: then equations that have an answer leave forces, and the motion, open.
bool Decision::determines_forces(const Regime& r) {
  if (!r.coupled) return true;
  if (std::abs(coupling(sys, r, t, state->base_x.data(), sig.data(), w)) > tolerance::rest) return true;
  for (const Index i : r.sliding)
    if (const Index c = loading_contact(sys.friction[i]); c >= 0 && state->modes.contact[c] == Mode::closed)
      jump->unresisting = c;
  return false;
}

namespace {

// Where its first coefficient is a force, or an acceleration times one over a power's factorial.
Index first_known(GuardKind kind) {
  switch (kind) {
  case GuardKind::lifts_off:
  case GuardKind::breaks_away:
    return 0;
  case GuardKind::slip_ends:
  case GuardKind::locks:
    return 1;
  case GuardKind::closes:
    return 2;
  default:
    return -1;
  }
}

// Of a component that the problem cannot tell from zero: coefficients that amount to no more than rounding of the terms
// that cancel in it, at the instant or as signals go on. Higher ones decide.
void drop_rounding(const contact::Problem& p, const contact::Candidate& c, Index component, GuardKind kind,
                   const Vector& goes_on, double pace, Matrix::RowXpr row) {
  const Index first = first_known(kind);
  if (!STICKSLIP_RULE("drop_rounding") || first < 0 || c.touching[component] == 0) return;
  double size = contact::acceleration_row(p, component, c.force).scale;
  for (Index j = 0; j < p.size(); ++j) // forces that hold pass on what acts on their own rows
    if (p.G(j, j) > 0.0) size = std::max(size, std::abs(p.G(component, j)) / p.G(j, j) * goes_on(j));
  double known = tolerance::sign * size;
  if (first == 0) known /= p.G(component, component);
  for (Index j = first; j < row.size(); ++j, known /= pace)
    if (std::abs(row(j)) <= known) row(j) = 0.0;
}

} // namespace

bool Decision::admissible(const contact::Candidate& c) {
  state->modes = entry;
  state->base_x = entry_x;
  apply(c);
  leave_rest(c);
  const Regime* free = &cache.get(sys, state->modes); // no force is held at a limit yet
  if (here != nullptr && free->found.directions > 0) {
    state->modes.open = free->found;
    free = &cache.get(sys, state->modes);
  }
  if (!determines_forces(*free)) return false;
  if (free->affine || free->shared || here != nullptr) expand_signals();
  if (!rests_stay(*free)) return false;
  guard_series(*free);
  if (free->sharing.any()) {
    if (!share(*free)) {
      note_contradiction();
      return false;
    }
    sharings.push_back({c.modes, state->modes.at_limit, state->modes.open});
    if (!state->modes.at_limit.empty()) free = &cache.get(sys, state->modes), guard_series(*free);
  }
  const Regime& r = *free;
  // What signals add to each acceleration as they go on.
  Vector goes_on = Vector::Zero(problem.size());
  if (r.affine && std::find(c.touching.begin(), c.touching.end(), std::uint8_t{1}) != c.touching.end()) {
    Vector all = Vector::Zero(sys.ns());
    double power = 1.0;
    for (Index k = 0; k < series_terms; ++k, power *= pace) all += power * signal_series.col(k).cwiseAbs();
    goes_on = rows.cwiseAbs() * (r.linear->S.cwiseAbs() * all);
    for (Index k = 0; k < problem.size(); ++k) goes_on(k) += own_acceleration(k).cwiseAbs().dot(all);
  }
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    bool mine = false;
    if (g.kind == GuardKind::lifts_off || g.kind == GuardKind::closes || g.kind == GuardKind::locks)
      mine = candidate[g.contact];
    else if (g.kind == GuardKind::slip_ends || g.kind == GuardKind::breaks_away)
      mine = rests[g.friction];
    else
      mine = g.kind == GuardKind::shared_limit;
    if (!mine || settled(c, g)) continue;
    if (const Index at = component_of(g); at >= 0)
      drop_rounding(problem, c, at, g.kind, goes_on, pace, series.row(k));
    if (sign_of(r, k) <= 0) continue;
    note_overrun(r, g);
    return false;
  }
  return true;
}

namespace {

// A rate is known no better than the same one of the limits that it shifts with; the value, whose forces have been
// counted, no better than what the last digits of the instant make of it; where it comes from differences, no better
// than these.
void size_by_group(const List<Index>& group, bool affine, const Matrix& margins, double instant,
                   Matrix& size) {
  const Vector forces = size.col(0);
  Matrix most = Matrix::Zero(size.rows(), size.cols());
  for (Index k = 0; k < group.size(); ++k)
    most.row(group[k]) = most.row(group[k]).cwiseMax(margins.row(k).cwiseAbs());
  most.col(0).setZero();
  for (Index k = 0; k < group.size(); ++k) {
    size.row(k) = size.row(k).cwiseMax(most.row(group[k]));
    size(k, 0) = std::max(size(k, 0), tolerance::cancelled * instant * most(group[k], 1));
    if (!affine) size(k, 2) = std::max(size(k, 2), forces(k) / short_time);
  }
}

} // namespace

// Forces that rigidity leaves open: which of them are at their limits just after t. False if no sharing holds then.
bool Decision::share(const Regime& r) {
  const Index m = r.sharing.limits.size();
  const bool turns = here != nullptr;
  if (turns || r.coupled) // rows, and the sliding friction, of this instant
    evaluate(sys, r, t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  const Regime& now = turns ? w.tangent(sys).regime(r.modes) : r;
  Sharing turned;
  if (turns) turned = now.sharing, find_relief(sys, now, turned);
  const Sharing& sharing = turns ? turned : r.sharing;
  Matrix margins(m, series_terms), size(m, series_terms);
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (g.kind != GuardKind::sharing_changes) continue;
    double power = 1.0;
    for (Index j = 0; j < series_terms; ++j, power *= pace) margins(g.limit, j) = -power * series(k, j);
    size.row(g.limit).setConstant(
        sharing_size(sys, r, g.limit, t, state->base_x.data(), sig.data(), force.data()));
  }
  if (STICKSLIP_RULE("size_by_group"))
    size_by_group(sharing.group, r.affine, margins, std::max(std::abs(t) / pace, 1.0), size);
  state->modes.at_limit.clear();
  broken.clear();
  if (contact::within_limits(margins, size)) return true;
  const contact::HeldLimits found =
      hold_limits(sharing, margins_by_shared(sys, now), margins_by_multipliers(sys, now, w), margins, size);
  for (const Index k : found.held) {
    ForceLimit l = r.sharing.limits[k];
    if (std::find(found.relieved.begin(), found.relieved.end(), k) != found.relieved.end()) l.side = 0;
    state->modes.at_limit.push_back(l);
  }
  std::sort(state->modes.at_limit.begin(), state->modes.at_limit.end());
  for (const Index k : found.against) broken.push_back(r.sharing.limits[k]);
  return found.found && can_hold(sys, now, found.held);
}

// Elements whose limits contradict each other leave together.
void Decision::note_contradiction() {
  for (const ForceLimit& l : broken)
    for (Index q = 0; q < elements.size(); ++q)
      if (elements[q] == l.force) overrun.resize(elements.size(), 0), overrun[q] = l.side;
}

// Guards besides those of the sharing that fire at the same instant.
void Decision::note_firing(const Regime& r, List<Guard>& fired) {
  guard_series(r);
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (g.kind == GuardKind::sharing_changes || g.kind == GuardKind::branch ||
        g.kind == GuardKind::condition || g.kind == GuardKind::load_negative)
      continue;
    const double size =
        guard_size(sys, r, g, t, state->base_x.data(), sig.data(), force.data(), state->nominal);
    if (sign_after([&](int j) { return series(k, j); }, size, state->time_scale, t) > 0) fired.push_back(g);
  }
}

bool Decision::share_anew(State& st, Jump& record) {
  state = &st;
  t = st.base_t;
  pace = st.time_scale;
  before = st.modes;
  signal_values(sys, t, sig.data());
  look_again();
  st.modes.at_limit.clear();
  const Regime& r = cache.get(sys, st.modes);
  if (r.affine) expand_signals();
  guard_series(r);
  record.fired.clear();
  if (share(r)) {
    note_firing(cache.get(sys, st.modes), record.fired);
    if (record.fired.empty()) return true;
    st.modes = before;
    return false;
  }
  st.modes = before;
  const bool friction =
      std::any_of(broken.begin(), broken.end(), [&](const ForceLimit& l) { return l.force < n; });
  if (here != nullptr && friction &&
      broken.size() == 1) // the rows have turned: this one is nobody else's now
    record.fired.push_back(Guard::of_friction(GuardKind::breaks_away, broken[0].force, broken[0].side));
  else if (friction)
    record.fired.push_back(Guard::of_shared_forces());
  for (const ForceLimit& l : broken)
    if (l.force >= n && !friction)
      record.fired.push_back(Guard::of_contact(GuardKind::lifts_off, l.force - n));
  return false;
}

// What is just about to pass its limit leaves, elements that share a force together.
void Decision::note_overrun(const Regime& r, const Guard& g) {
  const auto leaves = [&](Index element, int side) {
    for (Index q = 0; q < elements.size(); ++q)
      if (elements[q] == element) overrun[q] = side;
  };
  if (g.kind != GuardKind::breaks_away && g.kind != GuardKind::shared_limit) return;
  overrun.resize(elements.size(), 0);
  if (g.kind == GuardKind::breaks_away) return leaves(g.friction, g.direction);
  for_each_leaving(r, g, leaves);
}

// From the k-th Taylor coefficient of an affine regime's motion to the next.
void Decision::next_term(const Regime& r, int k, Vector& x) {
  w.xdot.noalias() = r.Ax * x;
  w.xdot.noalias() += r.As * signal_series.col(k);
  x = w.xdot / (k + 1);
}

void Decision::guard_series(const Regime& r) {
  const auto ng = r.guards.size();
  Matrix& c = series;
  c.setZero(ng, series_terms);
  xdot.setZero(sys.nx);
  evaluate(sys, r, t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  if (r.affine) {
    Vector x = state->base_x;
    for (int k = 0; k < series_terms; ++k) {
      c.col(k).noalias() = r.Gx * x;
      c.col(k).noalias() += r.Gs * signal_series.col(k);
      if (k + 1 < series_terms) next_term(r, k, x);
    }
    return;
  }
  // Values at t, t + h and t + 2h along the parabola that the flow starts on.
  const double h = short_time * state->time_scale;
  Vector x1 = state->base_x + h * xdot, s1(sys.ns()), f1 = Vector::Zero(sys.nx), g0(ng), g1 = g0, g2 = g0;
  Vector unused = force;
  signals_beside(sys, t, t + h, s1.data());
  guard_values(sys, r, t, state->base_x.data(), sig.data(), force.data(), g0.data(), w);
  evaluate(sys, r, t + h, x1.data(), s1.data(), f1.data(), unused.data(), w);
  const Vector half = 0.5 * (f1 - xdot) / h;
  auto guards_at = [&](double tau, Vector& g) {
    const Vector x = state->base_x + tau * xdot + tau * tau * half;
    signals_beside(sys, t, t + tau, s1.data());
    Vector f = Vector::Zero(sys.nx);
    evaluate(sys, r, t + tau, x.data(), s1.data(), f.data(), unused.data(), w);
    guard_values(sys, r, t + tau, x.data(), s1.data(), unused.data(), g.data(), w);
  };
  guards_at(h, g1);
  guards_at(2.0 * h, g2);
  c.col(0) = g0;
  c.col(1) = (-3.0 * g0 + 4.0 * g1 - g2) / (2.0 * h);
  c.col(2) = (g0 - 2.0 * g1 + g2) / (2.0 * h * h);
  here != nullptr ? curved_series(r, h, half) : velocity_series(r);
}

// The same for rows that turn with the motion: accelerations along them, by differences.
void Decision::curved_series(const Regime& r, double h, const Vector& half) {
  Vector s(sys.ns()), f(sys.nx), unused = force;
  Matrix a(r.guards.size(), 3);
  for (int k = 0; k < 3; ++k) {
    const double tau = k * h;
    const Vector x = state->base_x + tau * xdot + tau * tau * half;
    signals_beside(sys, t, t + tau, s.data());
    f.setZero();
    evaluate(sys, r, t + tau, x.data(), s.data(), f.data(), unused.data(), w);
    Tangent& there = w.tangent(sys);
    there.write(s.data());
    for (Index g = 0; g < r.guards.size(); ++g) {
      const Guard& guard = r.guards[g];
      if (guard.kind == GuardKind::closes) {
        const Contact& c = there.system.contacts[guard.contact];
        a(g, k) = c.rate.x.dot(f) + c.acceleration_s.dot(s);
      } else if (guard.kind == GuardKind::locks) {
        const Contact& c = there.system.contacts[guard.contact];
        a(g, k) = c.rate.x.dot(f) + c.acceleration_s.dot(s);
      } else if (guard.kind == GuardKind::slip_ends) {
        const Friction& p = there.system.friction[guard.friction];
        a(g, k) = p.velocity.x.dot(f) + p.acceleration_s.dot(s);
      }
    }
  }
  for (Index g = 0; g < r.guards.size(); ++g) {
    const Guard& guard = r.guards[g];
    const bool gap = guard.kind == GuardKind::closes, clutch = guard.kind == GuardKind::locks;
    if (!gap && !clutch && guard.kind != GuardKind::slip_ends) continue;
    const double slope = (-3.0 * a(g, 0) + 4.0 * a(g, 1) - a(g, 2)) / (2.0 * h),
                 bend = (a(g, 0) - 2.0 * a(g, 1) + a(g, 2)) / (h * h);
    series.row(g).setZero();
    if (gap)
      series.row(g).head(5) << gap_at(guard.contact), rate_at(guard.contact), a(g, 0) / 2.0, slope / 6.0,
          bend / 24.0;
    else
      series.row(g).head(4) << (clutch ? rate_at(guard.contact) : v(guard.friction)), a(g, 0), slope / 2.0,
          bend / 6.0;
    series.row(g) *= gap || clutch ? -1.0 : -guard.direction;
  }
}

// Velocities and gaps that leave zero may do so by a high derivative, where differences see nothing: theirs are
// Taylor coefficients of the flow linearised at t, exact up to the first that is not zero where nothing else bends.
void Decision::velocity_series(const Regime& r) {
  Vector x = state->base_x, by_signals(sys.nx);
  Matrix J;
  expand_signals();
  for (int k = 0; k < series_terms; ++k) {
    for (Index g = 0; g < r.guards.size(); ++g) {
      const Guard& guard = r.guards[g];
      const bool gap = guard.kind == GuardKind::closes, clutch = guard.kind == GuardKind::locks;
      if (!gap && !clutch && guard.kind != GuardKind::slip_ends) continue;
      const Form& form = gap      ? sys.contacts[guard.contact].gap
                         : clutch ? sys.contacts[guard.contact].rate
                                  : sys.friction[guard.friction].velocity;
      series(g, k) =
          (gap || clutch ? -1.0 : -guard.direction) * value(form, x.data(), signal_series.col(k).data());
    }
    if (k == 0) {
      x = xdot;
      continue;
    }
    coefficients = signal_series.col(k);
    jacobian(sys, r, t, state->base_x.data(), sig.data(), coefficients.data(), J, by_signals, w);
    x = Vector((J * x + by_signals) / (k + 1));
  }
}

// By columns: what the terms of the acceleration along `row` amount to that `by` causes, among them the forces that hold.
Vector Decision::acceleration_terms(const Regime& r, const Vector& row, const Matrix& by,
                                    const Matrix& held) const {
  const Vector size = row.cwiseAbs();
  Vector sum = by.cwiseAbs().transpose() * size;
  for (Index k = 0; k < held.rows(); ++k) {
    const Index contact = k - r.sticking.size();
    const Vector& effect =
        contact < 0 ? sys.friction[r.sticking[k]].effect : sys.contacts[r.closed[contact]].effect;
    sum += size.dot(effect.cwiseAbs()) * held.row(k).transpose().cwiseAbs();
  }
  return sum;
}

// Whether closed contacts, or other elements that stick, keep this element at rest from moving at all.
bool Decision::stands_still(const Regime& r, const Friction& p) {
  if (!STICKSLIP_RULE("stands_still") || (r.closed.empty() && r.sticking.empty())) return false;
  const auto gone = [](const Vector& left, const Vector& size) {
    return (left.cwiseAbs().array() <= tolerance::sign * size.array()).all();
  };
  const Vector& row = p.velocity.x;
  Matrix effects(sys.nx, r.sliding.size());
  for (Index k = 0; k < r.sliding.size(); ++k) effects.col(k) = sys.friction[r.sliding[k]].effect;
  if (!gone(r.E.transpose() * row, acceleration_terms(r, row, effects, r.LF))) return false;
  if (!gone(r.A.transpose() * row, acceleration_terms(r, row, r.linear->A, r.Lx))) return false;
  // Signals may move what holds it, such as a wall.
  const Vector by_signals = r.S.transpose() * row + p.acceleration_s;
  const Vector terms_of_signals = acceleration_terms(r, row, r.linear->S, r.Ls) + p.acceleration_s.cwiseAbs();
  return gone(signal_series.transpose() * by_signals,
              signal_series.cwiseAbs().transpose() * terms_of_signals);
}

// Where friction and normal force were solved from each other, the slope of a guard is known no better than its
// terms.
double Decision::certain_slope(const Regime& r, Index k, double slope) const {
  if (!STICKSLIP_RULE("certain_slope") || !r.affine || !r.coupled) return slope;
  const Vector rates = r.Ax.cwiseAbs() * state->base_x.cwiseAbs() + r.As.cwiseAbs() * sig.cwiseAbs();
  return std::abs(slope) <= tolerance::constrained * r.Gx.row(k).cwiseAbs().dot(rates) ? 0.0 : slope;
}

// Along an element at rest, as well as it is known where it stands.
double Decision::no_acceleration(Index k) const {
  if (!STICKSLIP_RULE("no_acceleration")) return 0.0;
  return problem.no_acceleration(k, contact::at_guard(problem, allowed[k], k));
}

// What a guard does just after t: +1 it has fired, -1 it is off, 0 it stays where it is.
int Decision::sign_of(const Regime& r, Index k) {
  const Guard& g = r.guards[k];
  const auto i = g.friction >= 0 ? g.friction : g.contact >= 0 ? g.contact : 0;
  std::array<double, series_terms> row{};
  for (Index j = 0; j < std::ssize(row); ++j) row[j] = series(k, j);
  if (STICKSLIP_RULE("drop_passing_terms"))
    drop_passing_terms(row, tolerance::last_digits * std::max(std::abs(t), pace));
  // What an acceleration, term j, cannot be told from says no more by its higher terms, as far as they add no more to it.
  const auto drop_unresolved = [&](std::size_t j, double unresolved) {
    if (!STICKSLIP_RULE("drop_unresolved") || std::abs(row[j]) > unresolved) return;
    for (double factor = 1.0; j < row.size(); ++j, factor *= pace)
      if (std::abs(row[j]) * factor <= unresolved) row[j] = 0.0;
  };
  switch (g.kind) {
  case GuardKind::slip_ends:
    if (rests[i]) row[0] = 0.0, row[1] = certain_slope(r, k, row[1]);
    if (rests[i] && here != nullptr && std::abs(row[1]) <= no_acceleration(component_of(g))) row[1] = 0.0;
    if (std::all_of(row.begin(), row.end(), [](double a) { return a == 0.0; }) ||
        (rests[i] && stands_still(r, sys.friction[i])))
      return 1; // it does not move at all, so it does not slip
    break;
  case GuardKind::breaks_away:
  case GuardKind::shared_limit:
  case GuardKind::lifts_off:
    break;
  case GuardKind::locks:
    if (!candidate[i]) return -1;
    row[0] = 0.0;
    if (number[i] >= 0) // as below
      drop_unresolved(1, std::max(tolerance::rounding * problem.free_size(number[i]),
                                  2.0 * tolerance::last_digits * std::abs(t * row[2])));
    break;
  case GuardKind::closes: {
    if (!candidate[i]) return -1;
    const bool fired = number[i] >= 0 && contact::at_guard(problem, allowed[number[i]], number[i]);
    const double known = fired ? tolerance::rest : tolerance::rounding;
    row[0] = row[1] = 0.0;
    // The contact's force passes through zero, as well as the instant is known, which forces that rigidity shares tell
    // no better than sums of terms: how fast is what decides.
    if (number[i] >= 0)
      drop_unresolved(2, 0.5 * std::max(known * problem.free_size(number[i]),
                                        6.0 * tolerance::last_digits * std::abs(t * row[3])));
    break;
  }
  default:
    return -1;
  }
  const double size =
      guard_size(sys, r, g, t, state->base_x.data(), sig.data(), force.data(), state->nominal);
  return sign_after([&](int j) { return row[j]; }, size, pace, t);
}

// What holds one body between surfaces that start to move apart, at whatever order of time, cannot all hold it. Redundant
// constraints contradict each other by their surfaces and walls alone: a body that follows one of them follows all, or
// their mean. How they part is kept in `parting`, of the first order at which they do.
bool Decision::rests_stay(const Regime& r) {
  if (!STICKSLIP_RULE("rests_stay") || !r.shared) return true;
  struct Surface {
    Vector own, against, terms; // acceleration by signals: of the surface, and of it against the body
    double speed = 0.0;         // size of the velocity
    Index component = -1;       // in the problem
  };
  List<Surface> surfaces;
  const auto add = [&](const Vector& row, const Vector& own, double speed, Index component) {
    surfaces.push_back({own, r.S.transpose() * row + own,
                        acceleration_terms(r, row, r.linear->S, r.Ls) + own.cwiseAbs(), speed, component});
  };
  for (Index q = 0; q < elements.size(); ++q) {
    const Friction& p = sys.friction[elements[q]];
    if (std::find(r.sticking.begin(), r.sticking.end(), elements[q]) != r.sticking.end())
      add(p.velocity.x, p.acceleration_s, velocity_size(p, state->nominal), closed.size() + q);
  }
  for (const Index j : r.closed)
    add(sys.contacts[j].rate.x, sys.contacts[j].acceleration_s, rate_size(j), number[j]);
  double power = state->time_scale;
  // No surface has a term of lower order: what has one moves, however slowly; what follows the state only to rounding.
  bool begin = here == nullptr;
  for (int k = 1; k < series_terms; ++k, power *= state->time_scale) {
    const Vector rate = signal_series.col(k - 1) / k;
    const bool moves = std::any_of(surfaces.begin(), surfaces.end(), [&](const Surface& s) {
      return s.own.cwiseAbs().dot(rate.cwiseAbs()) > 0.0;
    });
    if (!moves) continue; // what is left there is rounding
    bool part = false;
    Vector apart = Vector::Zero(problem.size());
    for (const Surface& s : surfaces) {
      if (s.component >= 0) apart(s.component) = s.own.dot(rate);
      const double c = s.against.dot(rate);
      if (std::abs(c) <= 10.0 * tolerance::constrained * s.terms.dot(rate.cwiseAbs())) continue;
      part = part || begin || std::abs(c) * power > tolerance::rest * s.speed;
    }
    begin = false;
    if (!part) continue;
    parting = apart;
    return false;
  }
  return true;
}

} // namespace stickslip
