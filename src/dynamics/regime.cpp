#include "dynamics/regime.hpp"

#include "contact/share.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/reaction_loads.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/tangent.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;
using MutableVector = Eigen::Map<Vector>;

namespace {

// Internal states of the law that has most of them.
Index most_states(const System& sys) {
  Index most = 1;
  for (const Friction& p : sys.friction) most = std::max(most, p.traits.states);
  return most;
}

} // namespace

Scratch::Scratch(const System& sys) {
  const Index np = sys.friction.size(), nc = sys.contacts.size();
  s = rate = Vector::Zero(sys.ns());
  xdot = row = Vector::Zero(sys.nx);
  force = held = Vector::Zero(np + nc);
  dry = sliding = Vector::Zero(np);
  coupling = Vector::Zero(nc * nc);
  z = zdot = Vector::Zero(most_states(sys));
}

Scratch::~Scratch() = default;

Tangent& Scratch::tangent(const System& sys) {
  if (!where) where = std::make_unique<Tangent>(sys);
  return *where;
}

void Scratch::for_derivatives(const System& sys) {
  const Index np = sys.friction.size();
  if (memory_by_normal.size() == np) return;
  const Index most = most_states(sys);
  memory_by_normal = Vector::Zero(np);
  dry_z = zdot_v = Vector::Zero(most);
  zdot_z = Vector::Zero(most * most);
  seeded.resize(most);
  seeded_rate.resize(most);
}

void signal_values(const System& sys, double t, double* s) {
  for (Index i = 0; i < sys.signals.size(); ++i) s[i] = value(sys.signals[i], t);
}

void signals_beside(const System& sys, double frame, double t, double* s) {
  for (Index i = 0; i < sys.signals.size(); ++i) {
    const Signal& of = sys.signals[i];
    s[i] = of.pieces.empty() ? 0.0 : value(piece_at(of, frame), t);
  }
}

void signal_rates(const System& sys, double t, double* sdot) {
  for (Index i = 0; i < sys.signals.size(); ++i) sdot[i] = derivative(sys.signals[i], t, 1);
}

double relative_velocity(const Friction& p, const double* x, const double* s) {
  return value(p.velocity, x, s);
}

double velocity_size(const Friction& element, const Vector& nominal) {
  return element.velocity.x.cwiseAbs().dot(nominal) + element.speed;
}

double normal_load(const Friction& p, int load_stretch, const double* x, const double* s) {
  if (p.contact >= 0) return 1.0;
  double N = s[p.load];
  if (!p.load_parts.empty()) N += value(p.load_parts[load_stretch], x, s);
  return N;
}

double total_load(const System& sys, const Friction& p, int load_stretch, const double* x, const double* s,
                  const double* force) {
  const Index c = loading_contact(p);
  const double by_contact = c < 0 ? 0.0 : load_per_normal(p) * force[sys.friction.size() + c];
  return p.contact >= 0 ? by_contact : normal_load(p, load_stretch, x, s) + by_contact;
}

Interval unit_limits(const Friction& p, double load, double t, const double* x) {
  const Interval unit = rest_interval(p.law, p.states >= 0 ? x + p.states : nullptr, load);
  const double share = aged_share(p, t, x);
  return {unit.lo * share, unit.hi * share};
}

Interval stick_limits(const System& sys, const Friction& p, int load_stretch, double t, const double* x,
                      const double* s, const double* force) {
  const double N = total_load(sys, p, load_stretch, x, s, force);
  const Interval unit = unit_limits(p, N, t, x);
  return {unit.lo * N, unit.hi * N};
}

int held_by_lag(const Friction& p, const Modes& modes, Index i) {
  if (p.lagged < 0 || !is_held(p, modes.friction[i])) return 0;
  return side_above(modes.friction[i].hold);
}

Interval holding_limits(const System& sys, const Modes& modes, Index i, double t, const double* x,
                        const double* s, const double* force) {
  const Friction& p = sys.friction[i];
  Interval limits =
      held(stick_limits(sys, p, modes.friction[i].load_stretch, t, x, s, force), modes.friction[i]);
  const int side = held_by_lag(p, modes, i);
  if (side > 0) limits.hi = x[p.lagged];
  if (side < 0) limits.lo = -x[p.lagged];
  return limits;
}

Index normal_row(const Regime& r, Index contact) {
  for (Index k = 0; k < r.closed.size(); ++k)
    if (r.closed[k] == contact) return r.sticking.size() + k;
  return -1;
}

Index holding_row(const System& sys, const Regime& r, Index force) {
  if (force >= sys.friction.size()) return normal_row(r, force - sys.friction.size());
  const auto found = std::find(r.sticking.begin(), r.sticking.end(), force);
  return found == r.sticking.end() ? -1 : found - r.sticking.begin();
}

const Vector& holding_effect(const System& sys, const Regime& r, Index row) {
  const Index contact = row - r.sticking.size();
  return contact < 0 ? sys.friction[r.sticking[row]].effect : sys.contacts[r.closed[contact]].effect;
}

// With F = other + dry lambda, lambda = lambda_0 + LF (dry lambda).
static Eigen::Map<Matrix> coupling_matrix(const System& sys, const Regime& r, Scratch& w) {
  const Index m = r.closed.size(), first = r.sticking.size();
  Eigen::Map<Matrix> K(w.coupling.data(), m, m);
  K.setIdentity();
  for (Index k = 0; k < r.sliding.size(); ++k)
    if (const Index c = normal_row(r, loading_contact(sys.friction[r.sliding[k]])); c >= 0)
      K.col(c - first) -= w.dry(k) * r.LF.block(first, k, m, 1);
  return K;
}

// Gauss elimination with row exchange in place: one or two contacts as a rule.
void solve_coupling(const System& sys, const Regime& r, Scratch& w, double* values, Index columns) {
  const Index m = r.closed.size();
  constexpr Index few = 8;
  Eigen::Map<Matrix> K = coupling_matrix(sys, r, w), b(values, m, columns);
  if (m > few) {
    b = linalg::solve(K, b);
    return;
  }
  for (Index c = 0; c < m; ++c) {
    Index pivot = c;
    for (Index i = c + 1; i < m; ++i)
      if (std::abs(K(i, c)) > std::abs(K(pivot, c))) pivot = i;
    if (pivot != c) K.row(c).swap(K.row(pivot)), b.row(c).swap(b.row(pivot));
    for (Index i = c + 1; i < m; ++i) {
      const double f = K(i, c) / K(c, c);
      K.row(i).tail(m - c) -= f * K.row(c).tail(m - c);
      b.row(i) -= f * b.row(c);
    }
  }
  for (Index c = m - 1; c >= 0; --c) {
    for (Index j = c + 1; j < m; ++j) b.row(c) -= K(c, j) * b.row(j);
    b.row(c) /= K(c, c);
  }
}

namespace {

// Sliding friction that a contact loads follows its normal force, which follows the friction. `held` holds
// lambda_0 and gets lambda; w.sliding gets the whole friction forces.
void couple(const System& sys, const Regime& r, Scratch& w, Eigen::Ref<Vector> held) {
  const Index first = r.sticking.size();
  solve_coupling(sys, r, w, held.data() + first, 1);
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Index c = normal_row(r, loading_contact(sys.friction[r.sliding[k]]));
    if (c < 0) continue;
    const double extra = w.dry(k) * held(c);
    w.sliding(k) += extra;
    if (first > 0) held.head(first) += r.LF.block(0, k, first, 1) * extra;
  }
}

// A lagged force is a state and does not follow the load at once, but its rate does.
void lags_under_contacts(const System& sys, const Regime& r, const double* x, const double* s, double* xdot,
                         const double* force) {
  for (const Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    if (p.lagged < 0 || p.load_contact < 0 || r.modes.friction[i].sticks()) continue;
    friction_force(p, r.modes.friction[i].force_side(), r.modes.friction[i].branch,
                   relative_velocity(p, x, s),
                   total_load(sys, p, r.modes.friction[i].load_stretch, x, s, force), x, xdot);
  }
}

// As evaluate_here() says, of least norm within the limits (contact/share.hpp).
void share_held(const System& sys, const Regime& r, double t, const double* x, const double* s,
                double* force) {
  if (r.indeterminate_forces.cols() == 0) return;
  const Index m = r.sticking.size();
  contact::ForceLimits limits{List<Index>(m, -1), Vector(m), Vector::Zero(m), Vector(m), Vector::Zero(m), {}};
  Vector given(m), shared;
  for (Index k = 0; k < m; ++k) {
    const Index i = r.sticking[k];
    const Interval l = holding_limits(sys, r.modes, i, t, x, s, force);
    limits.low_a(k) = l.lo;
    limits.high_a(k) = l.hi;
    given(k) = force[i];
  }
  contact::share(given, r.indeterminate_forces, 0, limits, shared);
  for (Index k = 0; k < m; ++k) force[r.sticking[k]] = shared(k);
}

// Sets accelerations to zero that are rounding of cancelling forces: at rest nothing else has a size.
void silence_rest(const System& sys, const Regime& r, const double* x, const double* s, const double* force,
                  double* xdot) {
  const Index n = sys.n_coordinates, np = sys.friction.size();
  for (Index i = n; i < 2 * n; ++i) {
    double terms = 0.0;
    for (Index j = 0; j < sys.nx; ++j) terms += std::abs(r.linear->A(i, j) * x[j]);
    for (Index j = 0; j < sys.ns(); ++j) terms += std::abs(r.linear->S(i, j) * s[j]);
    for (const Index k : r.sticking) terms += std::abs(sys.friction[k].effect(i) * force[k]);
    for (const Index k : r.closed) terms += std::abs(sys.contacts[k].effect(i) * force[np + k]);
    if (std::abs(xdot[i]) <= tolerance::rounding * terms) xdot[i] = 0.0;
  }
}

// Rise of a leaving element's force from its sliding level to its static limit, per unit of load.
double static_rise(const Friction& p, const FrictionMode& now, double N, double t, const double* x,
                   Scratch& w) {
  const Interval unit = unit_limits(p, N, t, x);
  const int direction = now.direction();
  const double* const z = p.states >= 0 ? x + p.states : nullptr;
  const double kinetic =
      sliding_force(p.law, p, direction, now.branch, 0.0, peak_of(p, x), z, w.zdot.data(), N).dry;
  return (direction > 0 ? unit.hi : unit.lo) - kinetic;
}

// Forces of sliding elements: their own, and those proportional to the normal force that loads them.
void sliding_forces(const System& sys, const Regime& r, double t, const double* x, const double* s,
                    double* xdot, Scratch& w) {
  for (Index k = 0; k < r.sliding.size(); ++k) {
    const Index i = r.sliding[k];
    const Friction& p = sys.friction[i];
    const double v = relative_velocity(p, x, s);
    const FrictionMode& now = r.modes.friction[i];
    const double N = normal_load(p, now.load_stretch, x, s);
    ElementForce<double> f = friction_force(p, now.force_side(), now.branch, v, N, x, xdot);
    if (now.hold == Hold::leaving) f.dry += static_rise(p, now, N, t, x, w);
    w.dry(k) = f.dry * load_per_normal(p);
    w.sliding(k) = p.contact >= 0 ? f.other : f.dry * N + f.other;
  }
}

// Internal states of elements at rest, and lagged forces.
void rates_at_rest(const System& sys, const Regime& r, const double* x, const double* s,
                   const Eigen::Ref<const Vector>& held, double* xdot, const double* force) {
  for (Index k = 0; k < r.sticking.size(); ++k) {
    const Index i = r.sticking[k];
    const Friction& p = sys.friction[i];
    if (p.states >= 0) {
      double N = p.contact >= 0 ? 0.0 : normal_load(p, r.modes.friction[i].load_stretch, x, s);
      if (const Index c = normal_row(r, loading_contact(p)); c >= 0) N += load_per_normal(p) * held(c);
      rest_rates(p.law, N > 0.0 ? force[i] / N : 0.0, x + p.states, xdot + p.states, N);
    }
  }
  if (r.coupled) lags_under_contacts(sys, r, x, s, xdot, force);
  for (const Index i : r.sticking) {
    const Friction& p = sys.friction[i];
    if (const int side = held_by_lag(p, r.modes, i); side != 0) // place_force() in slip at v = 0
      friction_force(p, side, 0, 0.0, total_load(sys, p, r.modes.friction[i].load_stretch, x, s, force), x,
                     xdot);
  }
}

// Forces that hold where rows have turned, of motion and sliding friction (w.sliding) as they are.
void hold_turning(const System& sys, const Regime& r, const double* x, const ConstVector& s,
                  const MutableVector& xdot, const Scratch& w, Holding& c, Eigen::Ref<Vector> held) {
  c.free = xdot;
  for (Index k = 0; k < r.sliding.size(); ++k)
    if (w.sliding(k) != 0.0) c.free += w.sliding(k) * sys.friction[r.sliding[k]].effect;
  c.left.noalias() = c.R * c.free;
  c.left.noalias() += c.Rs * s;
  held.noalias() = c.H * c.left;
  held.tail(c.count - c.friction) *= -1.0;
  keep_limits(sys, r, c, x, s.data(), w.sliding, held);
}

void accelerate_held(const System& sys, const Regime& r, const Vector& held, MutableVector& xdot) {
  for (Index k = 0; k < r.sticking.size(); ++k) xdot += held(k) * sys.friction[r.sticking[k]].effect;
  for (Index k = 0; k < r.closed.size(); ++k)
    xdot += held(r.sticking.size() + k) * sys.contacts[r.closed[k]].effect;
}

// A light part turns the rounding errors of forces into accelerations: one step of iterative refinement (Higham 12.1)
// removes what they leave of the held ones. Sliding friction follows its normal force.
void refine_held(const System& sys, const Regime& r, const ConstVector& s, MutableVector& xdot, Scratch& w,
                 Holding& c) {
  c.left.noalias() = c.R * xdot;
  c.left.noalias() += c.Rs * s;
  c.taken.noalias() = c.H * c.left;
  c.taken.tail(c.count - c.friction) *= -1.0;
  if (r.coupled) {
    couple(sys, r, w, c.taken);
    for (Index k = 0; k < r.sliding.size(); ++k) {
      const Friction& p = sys.friction[r.sliding[k]];
      if (const Index row = normal_row(r, loading_contact(p)); row >= 0)
        xdot += w.dry(k) * c.taken(row) * p.effect;
    }
  }
  accelerate_held(sys, r, c.taken, xdot);
  w.held.head(c.count) += c.taken;
}

// Rates of velocities that one coordinate's constraint holds follow its surface bitwise, unless surfaces move apart.
void hold_still(const Holding& c, const ConstVector& s, MutableVector& xdot) {
  bool any = false;
  for (Index k = 0; k < c.count; ++k) any = any || only_state(c.R, k) >= 0;
  if (!any) return;
  double apart = 0.0, size = 0.0;
  for (Index k = 0; k < c.count; ++k) {
    apart = std::max(apart, std::abs(c.R.row(k).dot(xdot) + c.Rs.row(k).dot(s)));
    size = std::max(size, c.R.row(k).cwiseAbs().dot((c.free.cwiseAbs() + xdot.cwiseAbs())) +
                              c.Rs.row(k).cwiseAbs().dot(s.cwiseAbs()));
  }
  if (!(apart <= tolerance::matrix_zero * size)) return;
  for (Index k = 0; k < c.count; ++k)
    if (const Index only = only_state(c.R, k); only >= 0) xdot(only) = -c.Rs.row(k).dot(s) / c.R(k, only);
}

// All forces have been found: those of sliding elements, and `held`.
void accelerate_turning(const System& sys, const Regime& r, const ConstVector& s, MutableVector& xdot,
                        Scratch& w, Holding& c) {
  for (Index k = 0; k < r.sliding.size(); ++k)
    if (w.sliding(k) != 0.0) xdot += w.sliding(k) * sys.friction[r.sliding[k]].effect;
  if (!r.sticking.empty() || !r.closed.empty()) {
    accelerate_held(sys, r, w.held, xdot);
    refine_held(sys, r, s, xdot, w, c);
    hold_still(c, s, xdot);
  }
  follow_constraints(sys, s.data(), xdot.data());
}

// The forces that hold, in the places of their elements, and the internal states that they move.
void return_held(const System& sys, const Regime& r, double t, const double* x, const double* s,
                 const Eigen::Ref<const Vector>& held, double* xdot, double* force) {
  bool moves = false;
  for (Index k = 0; k < r.closed.size(); ++k)
    force[sys.friction.size() + r.closed[k]] = held(r.sticking.size() + k);
  for (Index k = 0; k < r.sticking.size(); ++k) {
    force[r.sticking[k]] = held(k);
    moves = moves || sys.friction[r.sticking[k]].states >= 0;
  }
  if (moves) share_held(sys, r, t, x, s, force);
  rates_at_rest(sys, r, x, s, held, xdot, force);
}

// All rows and columns have the values at this state. `turning`: how constraints hold where rows turn; else null.
void evaluate_here(const System& sys, const Regime& r, Holding* turning, double t, const double* x,
                   const double* s, double* xdot, double* force, Scratch& w) {
  const ConstVector X(x, sys.nx), Sg(s, sys.ns());
  MutableVector Xdot(xdot, sys.nx);
  Xdot.noalias() = (turning ? r.linear->A : r.A) * X;
  Xdot.noalias() += (turning ? r.linear->S : r.S) * Sg;
  const Index np = sys.friction.size(), nc = sys.contacts.size();
  const Index nu = r.sliding.size(), nk = r.sticking.size() + r.closed.size();
  if (nc > 0 || nu + r.sticking.size() < np) std::fill(force, force + np + nc, 0.0);
  sliding_forces(sys, r, t, x, s, xdot, w);
  auto held = w.held.head(nk);
  if (nk > 0) {
    if (turning) {
      hold_turning(sys, r, x, Sg, Xdot, w, *turning, held);
    } else {
      held.noalias() = r.Lx * X;
      held.noalias() += r.Ls * Sg;
      if (nu > 0) held.noalias() += r.LF * w.sliding.head(nu);
    }
    if (!r.sharing.varying.empty()) follow_varying_limits(sys, r, t, x, s, held);
    if (r.coupled) couple(sys, r, w, held);
  }
  if (turning) accelerate_turning(sys, r, Sg, Xdot, w, *turning);
  if (nk > 0) return_held(sys, r, t, x, s, held, xdot, force);
  for (Index k = 0; k < nu; ++k) force[r.sliding[k]] = w.sliding(k);
  if (!turning && nu > 0) Xdot.noalias() += r.E * w.sliding.head(nu);
  if (sys.tangent && r.shared) silence_rest(sys, r, x, s, force, xdot);
}

// Loads by reactions: motions with a probe of each load in turn show how the reactions follow it.
void solve_reaction_loads(Tangent& at, const Smooth& smooth, const Reactions& now, double t, const double* x,
                          const double* s, double* xdot, double* force, Scratch& w) {
  const Index n = smooth.reactions.size();
  Matrix R = Matrix::Zero(2 * n, n + 1);
  Vector probe = Vector::Zero(n);
  for (Index k = 0; k <= n; ++k) {
    at.reaction_loads.setZero();
    if (k > 0) at.reaction_loads(k - 1) = probe(k - 1);
    const double* const all = at.signals(s);
    evaluate_here(at.system, now.regime, &now.holding, t, x, all, xdot, force, w);
    const Vector held = constraint_forces(at.system, now.regime, x, all, xdot, force);
    for (Index i = 0; i < n; ++i)
      R.block(2 * i, k, 2, 1) << held(smooth.reactions[i].along), held(smooth.reactions[i].across);
    if (k > 0)
      R.col(k) = (R.col(k) - R.col(0)) / probe(k - 1);
    else
      for (Index i = 0; i < n; ++i) { // of the size of the load, so that rounding stays relative to it
        const double size = R.block(2 * i, 0, 2, 1).norm();
        probe(i) = size > 0.0 ? size : 1.0;
      }
  }
  at.reaction_loads = magnitudes(R);
}

} // namespace

void evaluate(const System& sys, const Regime& r, double t, const double* x, const double* s, double* xdot,
              double* force, Scratch& w) {
  if (!sys.smooth) return evaluate_here(sys, r, nullptr, t, x, s, xdot, force, w);
  Tangent& at = w.tangent(sys);
  at.move_to(t, x, r.modes.sides);
  const double* const all = at.signals(s);
  if (at.free_rates(x, all, xdot)) return;
  const Reactions now = at.reactions(r.modes);
  if (!sys.smooth->reactions.empty()) {
    solve_reaction_loads(at, *sys.smooth, now, t, x, s, xdot, force, w);
    at.signals(s);
  }
  evaluate_here(at.system, now.regime, &now.holding, t, x, all, xdot, force, w);
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (const Index own = sys.contacts[j].force; own >= 0) force[sys.friction.size() + j] = all[own];
}

double coupling(const System& sys, const Regime& r, double t, const double* x, const double* s, Scratch& w) {
  w.xdot.setZero(sys.nx);
  if (sys.smooth)
    evaluate(sys, r, t, x, s, w.xdot.data(), w.force.data(), w);
  else
    sliding_forces(sys, r, t, x, s, w.xdot.data(), w);
  return linalg::determinant(
      coupling_matrix(sys, sys.smooth ? w.tangent(sys).reactions(r.modes).regime : r, w));
}

void state_signals(const System& sys, const Modes& modes, double t, const double* x, double* s, Scratch& w) {
  if (!sys.smooth) return;
  Tangent& at = w.tangent(sys);
  at.move_to(t, x, modes.sides);
  at.write(s);
  follow_reactions(sys, modes, t, x, s, w);
}

bool follow_reactions(const System& sys, const Modes& modes, double t, const double* x, double* s,
                      Scratch& w) {
  if (!sys.smooth || sys.smooth->reactions.empty()) return false;
  Regime r;
  r.modes = modes;
  Vector xdot = Vector::Zero(sys.nx), force = Vector::Zero(sys.friction.size() + sys.contacts.size());
  evaluate(sys, r, t, x, s, xdot.data(), force.data(), w);
  for (Index k = 0; k < sys.smooth->reactions.size(); ++k)
    s[sys.friction[sys.smooth->reactions[k].friction].load] = w.tangent(sys).reaction_loads(k);
  return true;
}

void share_forces(const System& sys, const Regime& r, double t, const double* x, const double* s,
                  double* force, Scratch& w) {
  if (!sys.smooth) return share_held(sys, r, t, x, s, force);
  Tangent& at = w.tangent(sys);
  at.move_to(t, x, r.modes.sides);
  if (!at.bare()) share_held(at.system, at.reactions(r.modes).regime, t, x, s, force);
}

} // namespace stickslip
