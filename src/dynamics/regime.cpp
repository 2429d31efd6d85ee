#include "dynamics/regime.hpp"

#include "contact/share.hpp"
#include "dynamics/place_force.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;
using MutableVector = Eigen::Map<Vector>;

Scratch::Scratch(const System& sys) {
  const Index np = static_cast<Index>(sys.places.size());
  s = Vector::Zero(sys.ns());
  rate = Vector::Zero(sys.ns());
  xdot = Vector::Zero(sys.nx);
  row = Vector::Zero(sys.nx);
  const Index nc = static_cast<Index>(sys.contacts.size());
  force = Vector::Zero(np + nc);
  held = Vector::Zero(np + nc);
  dry = Vector::Zero(np);
  coupling = Matrix::Zero(np + nc, np + nc);
  coupled = Vector::Zero(np + nc);
  unstuck = Vector::Zero(np);
  Index most = 1;
  for (const Place& p : sys.places) most = std::max(most, p.traits.states);
  z = Vector::Zero(most);
  zdot = Vector::Zero(most);
  dry_z = Vector::Zero(most);
  zdot_v = Vector::Zero(most);
  zdot_z = Vector::Zero(most * most);
}

void signal_values(const System& sys, double t, double* s) {
  for (std::size_t i = 0; i < sys.signals.size(); ++i) s[i] = value(sys.signals[i], t);
}

void signal_rates(const System& sys, double t, double* sdot) {
  for (std::size_t i = 0; i < sys.signals.size(); ++i) sdot[i] = derivative(sys.signals[i], t, 1);
}

double relative_velocity(const Place& p, const double* x, const double* s) {
  return p.velocity.x.dot(ConstVector(x, p.velocity.x.size())) +
         p.velocity.s.dot(ConstVector(s, p.velocity.s.size()));
}

double velocity_size(const Place& place, const Vector& nominal) {
  return place.velocity.x.cwiseAbs().dot(nominal) + place.speed;
}

double normal_load(const Place& p, int load_sign, const double* x, const double* s) {
  if (p.contact >= 0) return 1.0;
  double N = s[p.load];
  if (p.load_force.x.size() > 0)
    N += p.load_per_force * load_sign *
         (p.load_force.x.dot(ConstVector(x, p.load_force.x.size())) +
          p.load_force.s.dot(ConstVector(s, p.load_force.s.size())));
  return N;
}

double total_load(const System& sys, const Place& p, int load_sign, const double* x, const double* s,
                  const double* force) {
  const Index c = loading_contact(p);
  const double by_contact =
      c < 0 ? 0.0 : load_per_normal(p) * force[sys.places.size() + static_cast<std::size_t>(c)];
  return p.contact >= 0 ? by_contact : normal_load(p, load_sign, x, s) + by_contact;
}

Interval unit_limits(const Place& p, double t, const double* x) {
  const Interval unit = rest_interval(p.law, p.states >= 0 ? x + p.states : nullptr);
  const double share = aged_share(p, t, x);
  return {unit.lo * share, unit.hi * share};
}

Interval stick_limits(const System& sys, const Place& p, int load_sign, double t, const double* x,
                      const double* s, const double* force) {
  const Interval unit = unit_limits(p, t, x);
  const double N = total_load(sys, p, load_sign, x, s, force);
  return {unit.lo * N, unit.hi * N};
}

int held_by_lag(const Place& p, const Modes& modes, Index i) {
  if (p.lagged < 0 || p.surface_travel >= 0 || !modes.friction[i].sticks()) return 0;
  return side_above(modes.friction[i].hold);
}

Interval holding_limits(const System& sys, const Modes& modes, Index i, double t, const double* x,
                        const double* s, const double* force) {
  const Place& p = sys.places[i];
  Interval limits = stick_limits(sys, p, modes.friction[i].load_sign, t, x, s, force);
  if (modes.friction[i].hold == Hold::firmly) limits = {firmer * limits.lo, firmer * limits.hi};
  const int side = held_by_lag(p, modes, i);
  if (side > 0) limits.hi = x[p.lagged];
  if (side < 0) limits.lo = -x[p.lagged];
  return limits;
}

namespace {

// Row of a closed contact among the constraint forces; -1 for an open one.
Index normal_row(const Regime& r, Index contact) {
  for (std::size_t k = 0; k < r.closed.size(); ++k)
    if (r.closed[k] == contact) return static_cast<Index>(r.stuck.size() + k);
  return -1;
}

// Sliding friction that a contact loads follows its normal force, which follows the friction: with F = other
// + dry lambda, lambda = lambda_0 + LF (dry lambda) is a small linear system in the closed contacts' forces.
// `held` holds lambda_0 and gets lambda; w.unstuck gets the whole friction forces.
void couple(const System& sys, const Regime& r, Scratch& w, Eigen::Ref<Vector> held) {
  const Index m = static_cast<Index>(r.closed.size()), first = static_cast<Index>(r.stuck.size());
  auto K = w.coupling.topLeftCorner(m, m);
  auto b = w.coupled.head(m);
  K.setIdentity();
  b = held.segment(first, m);
  for (std::size_t k = 0; k < r.unstuck.size(); ++k) {
    const Index c =
        normal_row(r, loading_contact(sys.places[static_cast<std::size_t>(r.unstuck[k])])) - first;
    if (c < 0) continue;
    K.col(c) -= w.dry(static_cast<Index>(k)) * r.LF.block(first, static_cast<Index>(k), m, 1);
  }
  // Gauss elimination with row exchange in place: one or two contacts as a rule.
  for (Index c = 0; c < m; ++c) {
    Index pivot = c;
    for (Index i = c + 1; i < m; ++i)
      if (std::abs(K(i, c)) > std::abs(K(pivot, c))) pivot = i;
    if (pivot != c) K.row(c).swap(K.row(pivot)), std::swap(b(c), b(pivot));
    for (Index i = c + 1; i < m; ++i) {
      const double f = K(i, c) / K(c, c);
      for (Index j = c; j < m; ++j) K(i, j) -= f * K(c, j);
      b(i) -= f * b(c);
    }
  }
  for (Index c = m - 1; c >= 0; --c) {
    for (Index j = c + 1; j < m; ++j) b(c) -= K(c, j) * b(j);
    b(c) /= K(c, c);
  }
  for (std::size_t k = 0; k < r.unstuck.size(); ++k) {
    const Index c =
        normal_row(r, loading_contact(sys.places[static_cast<std::size_t>(r.unstuck[k])])) - first;
    if (c < 0) continue;
    const double extra = w.dry(static_cast<Index>(k)) * b(c);
    w.unstuck(static_cast<Index>(k)) += extra;
    if (first > 0) held.head(first) += r.LF.block(0, static_cast<Index>(k), first, 1) * extra;
  }
  held.segment(first, m) = b;
}

// A lagged force is a state and does not follow the load at once, but its rate does.
void lags_under_contacts(const System& sys, const Regime& r, const double* x, const double* s, double* xdot,
                         const double* force) {
  for (const Index i : r.unstuck) {
    const auto u = static_cast<std::size_t>(i);
    const Place& p = sys.places[u];
    if (p.lagged < 0 || p.load_contact < 0 || r.modes.friction[u].sticks()) continue;
    place_force(p, r.modes.friction[u].direction(), r.modes.friction[u].branch, relative_velocity(p, x, s),
                total_load(sys, p, r.modes.friction[u].load_sign, x, s, force), x, xdot);
  }
}

} // namespace

void evaluate(const System& sys, const Regime& r, double t, const double* x, const double* s, double* xdot,
              double* force, Scratch& w) {
  const ConstVector X(x, sys.nx), Sg(s, sys.ns());
  MutableVector Xdot(xdot, sys.nx);
  (void)t;
  Xdot.noalias() = r.A * X;
  Xdot.noalias() += r.S * Sg;
  const Index np = static_cast<Index>(sys.places.size()), nc = static_cast<Index>(sys.contacts.size());
  const Index nu = static_cast<Index>(r.unstuck.size()),
              nk = static_cast<Index>(r.stuck.size() + r.closed.size());
  if (nc > 0) std::fill(force, force + np + nc, 0.0);
  for (Index k = 0; k < nu; ++k) {
    const Index i = r.unstuck[static_cast<std::size_t>(k)];
    const auto u = static_cast<std::size_t>(i);
    const Place& p = sys.places[u];
    const double v = relative_velocity(p, x, s);
    const double N = normal_load(p, r.modes.friction[u].load_sign, x, s);
    const PlaceForce f =
        place_force(p, r.modes.friction[u].direction(), r.modes.friction[u].branch, v, N, x, xdot);
    w.dry(k) = f.dry * load_per_normal(p);
    w.unstuck(k) = p.contact >= 0 ? f.other : f.dry * N + f.other;
  }
  auto held = w.held.head(nk);
  if (nk > 0) {
    held.noalias() = r.Lx * X;
    held.noalias() += r.Ls * Sg;
    if (nu > 0) held.noalias() += r.LF * w.unstuck.head(nu);
    if (r.coupled) couple(sys, r, w, held);
    for (std::size_t k = 0; k < r.stuck.size(); ++k) {
      const Index i = r.stuck[k];
      const Place& p = sys.places[static_cast<std::size_t>(i)];
      force[i] = held(static_cast<Index>(k));
      if (p.states >= 0) {
        double N = p.contact >= 0 ? 0.0 : normal_load(p, r.modes.friction[i].load_sign, x, s);
        if (const Index c = normal_row(r, loading_contact(p)); c >= 0) N += load_per_normal(p) * held(c);
        rest_rates(p.law, N > 0.0 ? force[i] / N : 0.0, x + p.states, xdot + p.states);
      }
    }
    for (std::size_t k = 0; k < r.closed.size(); ++k)
      force[np + r.closed[k]] = held(static_cast<Index>(r.stuck.size() + k));
    if (r.coupled) lags_under_contacts(sys, r, x, s, xdot, force);
    for (const Index i : r.stuck) {
      const auto u = static_cast<std::size_t>(i);
      const Place& p = sys.places[u];
      if (const int side = held_by_lag(p, r.modes, u); side != 0) // place_force() in slip at v = 0
        place_force(p, side, 0, 0.0, total_load(sys, p, r.modes.friction[u].load_sign, x, s, force), x, xdot);
    }
  }
  for (Index k = 0; k < nu; ++k) force[r.unstuck[static_cast<std::size_t>(k)]] = w.unstuck(k);
  if (nu > 0) Xdot.noalias() += r.E * w.unstuck.head(nu);
}

void share_forces(const System& sys, const Regime& r, double t, const double* x, const double* s,
                  double* force) {
  if (!r.shared) return;
  const Index m = static_cast<Index>(r.stuck.size()), leaning = static_cast<Index>(r.leaning.size());
  contact::Limits limits{std::vector<Index>(r.stuck.size(), -1), Vector(m), Vector::Zero(m), Vector(m),
                         Vector::Zero(m)};
  Vector given(leaning + m), shared;
  const auto normal = [&](Index k) -> double& {
    return force[static_cast<Index>(sys.places.size()) +
                 r.closed[static_cast<std::size_t>(r.leaning[static_cast<std::size_t>(k)])]];
  };
  for (Index k = 0; k < leaning; ++k) given(k) = normal(k);
  for (Index k = 0; k < m; ++k) {
    const auto i = static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(k)]);
    const Interval l = stick_limits(sys, sys.places[i], r.modes.friction[i].load_sign, t, x, s, force);
    limits.low_a(k) = std::min(l.lo, 0.0);
    limits.high_a(k) = std::max(l.hi, 0.0);
    given(leaning + k) = force[i];
  }
  double utilisation = 0.0;
  contact::share(given, r.spare, leaning, limits, shared, utilisation);
  for (Index k = 0; k < leaning; ++k) normal(k) = shared(k);
  for (Index k = 0; k < m; ++k) force[r.stuck[static_cast<std::size_t>(k)]] = shared(leaning + k);
}

} // namespace stickslip
