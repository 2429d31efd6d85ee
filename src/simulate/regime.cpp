#include "simulate/regime.hpp"

#include "contact/share.hpp"
#include "simulate/place_force.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

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
  guards = Vector::Zero(64);
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
    if (p.lagged < 0 || p.load_contact < 0 || r.modes.place[u] == 0) continue;
    place_force(p, r.modes.place[u], r.modes.branch[u], relative_velocity(p, x, s),
                total_load(sys, p, r.modes.load_sign[u], x, s, force), x, xdot);
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
    const double N = normal_load(p, r.modes.load_sign[u], x, s);
    const PlaceForce f = place_force(p, r.modes.place[u], r.modes.branch[u], v, N, x, xdot);
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
        double N =
            p.contact >= 0 ? 0.0 : normal_load(p, r.modes.load_sign[static_cast<std::size_t>(i)], x, s);
        if (const Index c = normal_row(r, loading_contact(p)); c >= 0) N += load_per_normal(p) * held(c);
        rest_rates(p.law, N > 0.0 ? force[i] / N : 0.0, x + p.states, xdot + p.states);
      }
    }
    for (std::size_t k = 0; k < r.closed.size(); ++k)
      force[np + r.closed[k]] = held(static_cast<Index>(r.stuck.size() + k));
    if (r.coupled) lags_under_contacts(sys, r, x, s, xdot, force);
  }
  for (Index k = 0; k < nu; ++k) force[r.unstuck[static_cast<std::size_t>(k)]] = w.unstuck(k);
  if (nu > 0) Xdot.noalias() += r.E * w.unstuck.head(nu);
}

void share_forces(const System& sys, const Regime& r, double t, const double* x, const double* s,
                  double* force) {
  if (!r.shared) return;
  const Index m = static_cast<Index>(r.stuck.size());
  contact::Limits limits{std::vector<Index>(r.stuck.size(), -1), Vector(m), Vector::Zero(m), Vector(m),
                         Vector::Zero(m)};
  Vector given(m), shared;
  for (Index k = 0; k < m; ++k) {
    const auto i = static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(k)]);
    const Interval l = stick_limits(sys, sys.places[i], r.modes.load_sign[i], t, x, s, force);
    limits.low_a(k) = std::min(l.lo, 0.0);
    limits.high_a(k) = std::max(l.hi, 0.0);
    given(k) = force[i];
  }
  double utilisation = 0.0;
  contact::share(given, r.spare, 0, limits, shared, utilisation);
  for (Index k = 0; k < m; ++k) force[r.stuck[static_cast<std::size_t>(k)]] = shared(k);
}

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
    case GuardKind::breaks_away:
    case GuardKind::limit_again: {
      const Place& p = sys.places[i];
      Interval limits = stick_limits(sys, p, r.modes.load_sign[i], t, x, s, force);
      if (r.modes.branch[i] == holds_firmly) limits = {firmer * limits.lo, firmer * limits.hi};
      g[k] = guard.side > 0 ? force[i] - limits.hi : limits.lo - force[i];
      if (guard.kind == GuardKind::limit_again) g[k] = -g[k];
      break;
    }
    case GuardKind::shared_limit: {
      const Facet& f = r.facets[i];
      double reach = 0.0, sum = 0.0;
      for (std::size_t j = 0; j < f.members.size(); ++j) {
        const Index m = r.stuck[static_cast<std::size_t>(f.members[j])];
        const Interval limits = stick_limits(sys, sys.places[static_cast<std::size_t>(m)],
                                             r.modes.load_sign[static_cast<std::size_t>(m)], t, x, s, force);
        const double share = guard.side * f.share(static_cast<Index>(j));
        reach += share * (share > 0.0 ? limits.hi : limits.lo);
        sum += share * force[m];
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
      double values[64];
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

// Where friction and normal forces determine each other the Jacobian is taken by central differences.
static void difference_jacobian(const System& sys, const Regime& r, double t, const double* x,
                                const double* s, const double* sdot, Matrix& J, Vector& dfdt, Scratch& w) {
  Vector y = ConstVector(x, sys.nx), up = Vector::Zero(sys.nx), down = Vector::Zero(sys.nx);
  const double typical = std::max(y.cwiseAbs().maxCoeff(), 1e-12);
  J.resize(sys.nx, sys.nx);
  for (Index j = 0; j < sys.nx; ++j) {
    const double h = 6e-6 * std::max(std::abs(x[j]), std::max(sys.nominal(j), 1e-9 * typical));
    y(j) = x[j] + h;
    evaluate(sys, r, t, y.data(), s, up.data(), w.force.data(), w);
    y(j) = x[j] - h;
    evaluate(sys, r, t, y.data(), s, down.data(), w.force.data(), w);
    y(j) = x[j];
    J.col(j) = (up - down) / (2.0 * h);
  }
  Vector later = ConstVector(s, sys.ns());
  const double h = 1e-6 * sys.time_scale;
  later += h * ConstVector(sdot, sys.ns());
  evaluate(sys, r, t, x, later.data(), up.data(), w.force.data(), w);
  evaluate(sys, r, t, x, s, down.data(), w.force.data(), w);
  dfdt = (up - down) / h;
}

void jacobian(const System& sys, const Regime& r, double t, const double* x, const double* s,
              const double* sdot, Matrix& J, Vector& dfdt, Scratch& w) {
  const ConstVector Sdot(sdot, sys.ns());
  const bool load_follows = std::any_of(r.stuck.begin(), r.stuck.end(), [&](Index i) {
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    return p.states >= 0 && loading_contact(p) >= 0;
  });
  if (r.coupled || load_follows) return difference_jacobian(sys, r, t, x, s, sdot, J, dfdt, w);
  J = r.A;
  dfdt.noalias() = r.S * Sdot;
  bool internal_at_rest = false;
  for (Index i : r.stuck)
    internal_at_rest = internal_at_rest || sys.places[static_cast<std::size_t>(i)].states >= 0;
  if (internal_at_rest) {
    w.held_x = r.Lx;
    w.held_t.noalias() = r.Ls * Sdot;
  }
  for (std::size_t k = 0; k < r.unstuck.size(); ++k) {
    const auto i = static_cast<std::size_t>(r.unstuck[k]);
    const Place& p = sys.places[i];
    const int mode = r.modes.place[i], sign = r.modes.load_sign[i];
    const double v = relative_velocity(p, x, s);
    const double N = normal_load(p, sign, x, s);
    const double v_t = p.velocity.s.dot(Sdot);
    double N_t = sdot[p.load];
    if (p.load_force.x.size() > 0) N_t += p.load_per_force * sign * p.load_force.s.dot(Sdot);
    Vector& row = w.row; // d F / d x
    double F_t = 0.0, F_N = 0.0;
    if (mode == 0) {
      const double stiffness = presliding_stiffness(p, N);
      row = p.automaton.surface_damping * p.velocity.x;
      row(p.surface_travel) += stiffness;
      J.row(p.surface_travel) += p.velocity.x.transpose();
      dfdt(p.surface_travel) += v_t;
      F_N = p.break_away / p.automaton.travel * x[p.surface_travel];
      F_t = p.automaton.surface_damping * v_t;
    } else {
      const double* z = p.states >= 0 ? x + p.states : nullptr;
      const double with_injection = p.injected >= 0 ? *z + x[p.injected] : 0.0;
      if (p.injected >= 0) z = &with_injection;
      const Slopes d =
          linearise(p.law, v, mode, r.modes.branch[i], z, w.dry_z.data(), w.zdot_v.data(), w.zdot_z.data());
      double dry_v = d.dry_v, dry = evaluate(p.law, v, mode, r.modes.branch[i], z, w.zdot.data()).dry;
      if (p.peak >= 0 && p.break_away > p.kinetic) {
        dry_v *= (x[p.peak] * p.break_away - p.kinetic) / (p.break_away - p.kinetic);
        dry = with_peak(p, dry, x[p.peak]);
      }
      if (p.lagged < 0) {
        row = (N * dry_v + d.viscous_v) * p.velocity.x;
        F_t = (N * dry_v + d.viscous_v) * v_t;
        F_N = dry;
        for (Index j = 0; j < p.traits.states; ++j) row(p.states + j) += N * w.dry_z(j);
        if (p.injected >= 0) {
          row(p.injected) += N * w.dry_z(0);
          row += (N * p.rate_damping) * sys.A.row(p.injected).transpose();
          F_t += N * p.rate_damping * sys.S.row(p.injected).dot(Sdot);
        }
      } else {
        row = d.viscous_v * p.velocity.x;
        row(p.lagged) += mode;
        F_t = d.viscous_v * v_t;
        J.row(p.lagged) += (N * dry_v * mode / p.automaton.lag) * p.velocity.x.transpose();
        J(p.lagged, p.lagged) -= 1.0 / p.automaton.lag;
        dfdt(p.lagged) += (N * dry_v * mode * v_t + N_t * dry * mode) / p.automaton.lag;
        if (p.load_per_force != 0.0)
          J.row(p.lagged) +=
              (dry * mode * p.load_per_force * sign / p.automaton.lag) * p.load_force.x.transpose();
      }
      for (Index j = 0; j < p.traits.states; ++j) {
        J.row(p.states + j) += w.zdot_v(j) * p.velocity.x.transpose();
        dfdt(p.states + j) += w.zdot_v(j) * v_t;
        for (Index l = 0; l < p.traits.states; ++l)
          J(p.states + j, p.states + l) += w.zdot_z(j * p.traits.states + l);
      }
      if (p.injected >= 0) J(p.states, p.injected) += w.zdot_z(0);
    }
    if (p.load_per_force != 0.0) row += (F_N * p.load_per_force * sign) * p.load_force.x;
    F_t += F_N * N_t;
    J.noalias() += r.E.col(static_cast<Index>(k)) * row.transpose();
    dfdt += r.E.col(static_cast<Index>(k)) * F_t;
    if (internal_at_rest)
      for (std::size_t j = 0; j < r.stuck.size(); ++j) {
        const double share = r.LF(static_cast<Index>(j), static_cast<Index>(k));
        w.held_x.row(static_cast<Index>(j)) += share * row.transpose();
        w.held_t(static_cast<Index>(j)) += share * F_t;
      }
  }
  if (!internal_at_rest) return;
  // Rates of internal states at rest are linear in the held force and in these states, so differences are
  // derivatives.
  for (std::size_t k = 0; k < r.stuck.size(); ++k) {
    const auto i = static_cast<std::size_t>(r.stuck[k]);
    const Place& p = sys.places[i];
    const Index own = p.traits.states;
    if (own == 0) continue;
    const double N = normal_load(p, r.modes.load_sign[i], x, s);
    if (!(N > 0.0)) continue;
    for (Index j = 0; j < own; ++j) w.z(j) = x[p.states + j];
    const Interval unit = rest_interval(p.law, w.z.data());
    const double middle = 0.5 * (unit.lo + unit.hi), width = 0.25 * (unit.hi - unit.lo);
    rest_rates(p.law, middle, w.z.data(), w.zdot.data());
    rest_rates(p.law, middle + width, w.z.data(), w.zdot_v.data());
    for (Index l = 0; l < own; ++l) {
      const double by_force = width > 0.0 ? (w.zdot_v(l) - w.zdot(l)) / (width * N) : 0.0;
      J.row(p.states + l) += by_force * w.held_x.row(static_cast<Index>(k));
      dfdt(p.states + l) += by_force * w.held_t(static_cast<Index>(k));
    }
    for (Index j = 0; j < own; ++j) {
      const double step = std::max(std::abs(w.z(j)), 1e-3 * p.break_away / p.traits.stiffness);
      w.z(j) += step;
      rest_rates(p.law, middle, w.z.data(), w.zdot_v.data());
      w.z(j) -= step;
      for (Index l = 0; l < own; ++l) J(p.states + l, p.states + j) += (w.zdot_v(l) - w.zdot(l)) / step;
    }
  }
}

namespace {

// Is the force of this unstuck place linear and homogeneous in (x, s)?
bool is_affine(const System& sys, const Place& p, int mode) {
  const Signal& load = sys.signals[static_cast<std::size_t>(p.load)];
  const bool constant_load = is_constant(load) && p.load_per_force == 0.0;
  // k s with a given k, up to a given limit; on a contact the product of s and the contact's force
  if (mode == 0) return constant_load && p.aged < 0 && loading_contact(p) < 0;
  if (p.contact >= 0 && p.lagged >= 0) return false;
  // A peak raised by a dwell multiplies the curve with a state.
  return p.traits.affine && (p.peak < 0 || p.break_away == p.kinetic || p.fine == 0.0);
}

// Facets of the set of forces that the stuck places can take together: for every rank - 1 independent columns
// the direction normal to them. W has full row rank; its columns belong to the stuck places `which`.
void find_facets(const Matrix& W, const std::vector<Index>& which, Regime& r) {
  const Index rank = W.rows(), m = W.cols();
  std::vector<Index> pick(static_cast<std::size_t>(rank - 1));
  for (std::size_t i = 0; i < pick.size(); ++i) pick[i] = static_cast<Index>(i);
  std::vector<Vector> known;
  while (true) {
    Matrix chosen(rank, rank - 1);
    for (std::size_t i = 0; i < pick.size(); ++i) chosen.col(static_cast<Index>(i)) = W.col(pick[i]);
    Vector y = Vector::Ones(1);
    bool independent = true;
    if (rank > 1) {
      Eigen::JacobiSVD<Matrix> svd(chosen, Eigen::ComputeFullU);
      independent = svd.singularValues()(rank - 2) > 1e-9 * W.cwiseAbs().maxCoeff();
      y = svd.matrixU().col(rank - 1);
    }
    if (independent) {
      Facet f;
      const Vector along = W.transpose() * y;
      const double size = along.cwiseAbs().maxCoeff();
      std::vector<double> share;
      for (Index i = 0; i < m; ++i)
        if (std::abs(along(i)) > 1e-9 * size) {
          f.members.push_back(which[static_cast<std::size_t>(i)]);
          share.push_back(along(i) / size);
        }
      f.share = ConstVector(share.data(), static_cast<Index>(share.size()));
      const double side = f.share(0) < 0.0 ? -1.0 : 1.0;
      f.share *= side;
      const Vector signature = along * (side / size);
      bool fresh = true;
      for (const Vector& k : known) fresh = fresh && (k - signature).cwiseAbs().maxCoeff() > 1e-9;
      if (fresh) {
        known.push_back(signature);
        r.facets.push_back(std::move(f));
      }
    }
    // next combination
    Index i = rank - 2;
    while (i >= 0 && pick[static_cast<std::size_t>(i)] == m - (rank - 1) + i) --i;
    if (i < 0) return;
    ++pick[static_cast<std::size_t>(i)];
    for (Index j = i + 1; j < rank - 1; ++j)
      pick[static_cast<std::size_t>(j)] = pick[static_cast<std::size_t>(j - 1)] + 1;
  }
}

// The same, group by group of places that depend on each other: two places under each block of a long train
// are as many small problems, not one whose combinations grow beyond counting.
void find_facets(const Matrix& W, Regime& r) {
  const Index rank = W.rows(), m = W.cols();
  const Eigen::ColPivHouseholderQR<Matrix> qr(W);
  const auto order = qr.colsPermutation().indices();
  Matrix basis(rank, rank);
  for (Index k = 0; k < rank; ++k) basis.col(k) = W.col(order(k));
  Matrix T = basis.partialPivLu().solve(W); // every column as a combination of the basis
  T = (T.array().abs() > 1e-9).select(T, 0.0);
  std::vector<Index> group(static_cast<std::size_t>(m));
  for (Index j = 0; j < m; ++j) group[static_cast<std::size_t>(j)] = j;
  for (Index k = 0; k < rank; ++k)
    for (Index j = 0; j < m; ++j) {
      if (T(k, j) == 0.0) continue;
      const Index from = group[static_cast<std::size_t>(j)], to = group[static_cast<std::size_t>(order(k))];
      if (from != to) std::replace(group.begin(), group.end(), from, to);
    }
  for (Index g = 0; g < m; ++g) {
    std::vector<Index> which, rows;
    for (Index j = 0; j < m; ++j)
      if (group[static_cast<std::size_t>(j)] == g) which.push_back(j);
    for (Index k = 0; k < rank; ++k)
      if (group[static_cast<std::size_t>(order(k))] == g) rows.push_back(k);
    if (!rows.empty()) find_facets(T(rows, which), which, r);
  }
}

void constrain(const System& sys, Regime& r) {
  const Index ns = static_cast<Index>(r.stuck.size()), nk = ns + static_cast<Index>(r.closed.size());
  const Index nu = static_cast<Index>(r.unstuck.size());
  r.E.resize(sys.nx, nu);
  for (Index k = 0; k < nu; ++k)
    r.E.col(k) = sys.places[static_cast<std::size_t>(r.unstuck[static_cast<std::size_t>(k)])].effect;
  r.A = r.linear->A;
  r.S = r.linear->S;
  if (nk == 0) return;
  Matrix R(nk, sys.nx), Rs(nk, sys.ns()), U(sys.nx, nk);
  Vector limit(nk);
  bool contact_friction = false;
  for (Index k = ns; k < nk; ++k) {
    // Forces that act along the constraint enter like friction does, opposing it: the sign is turned back
    // below.
    const Contact& c = sys.contacts[static_cast<std::size_t>(r.closed[static_cast<std::size_t>(k - ns)])];
    R.row(k) = c.rate.x.transpose();
    Rs.row(k) = c.acceleration_s.transpose();
    U.col(k) = -c.effect;
    limit(k) = 1.0;
  }
  for (Index k = 0; k < ns; ++k) {
    const Place& p = sys.places[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(k)])];
    contact_friction = contact_friction || loading_contact(p) >= 0;
    R.row(k) = p.velocity.x.transpose();
    Rs.row(k) = p.acceleration_s.transpose();
    U.col(k) = p.effect;
    limit(k) = std::max(
        p.break_away * std::max(value(sys.signals[static_cast<std::size_t>(p.load)], 0.0), 0.0), 1e-300);
  }
  const Matrix G = -R * U; // G f = acceleration that the stuck forces must take away
  const Vector d = G.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  const Matrix scaled = d.asDiagonal() * G * d.asDiagonal();
  Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(1e-10);
  const Index rank = svd.rank();
  Matrix H(nk, nk);
  if (rank == nk) {
    H = nk == 1 ? Matrix::Constant(1, 1, 1.0 / G(0, 0)) : Matrix(G.partialPivLu().inverse());
  } else {
    // Forces without effect. Limits bound what stuck places can share, where the normal forces that set them
    // are unique; else places are watched one by one.
    const Matrix idle = d.asDiagonal() * svd.matrixV().rightCols(nk - rank);
    r.shared = ns > 0 && (nk == ns || idle.bottomRows(nk - ns).cwiseAbs().maxCoeff() <=
                                          1e-9 * idle.cwiseAbs().maxCoeff());
    const Vector root =
        nk == ns && !contact_friction ? Vector((limit / limit.maxCoeff()).cwiseSqrt()) : Vector::Ones(nk);
    Eigen::CompleteOrthogonalDecomposition<Matrix> cod;
    cod.setThreshold(1e-10);
    cod.compute(d.asDiagonal() * G * root.asDiagonal());
    H = root.asDiagonal() * cod.pseudoInverse() * d.asDiagonal();
    if (r.shared) {
      r.spare =
          Eigen::HouseholderQR<Matrix>(idle.topRows(ns)).householderQ() * Matrix::Identity(ns, nk - rank);
      const Matrix all = svd.matrixU().leftCols(rank).transpose() * d.asDiagonal() * G;
      const Matrix W = all.leftCols(ns);
      Eigen::JacobiSVD<Matrix> rows(W, Eigen::ComputeFullU);
      rows.setThreshold(1e-10);
      if (nk == ns)
        find_facets(W, r);
      else
        find_facets(rows.matrixU().leftCols(rows.rank()).transpose() * W, r);
    }
  }
  r.Lx = H * R * r.linear->A;
  r.Ls = H * (R * r.linear->S + Rs);
  r.LF = H * R * r.E;
  r.A += U * r.Lx;
  r.S += U * r.Ls;
  r.E += U * r.LF;
  r.Lx.bottomRows(nk - ns) *= -1.0;
  r.Ls.bottomRows(nk - ns) *= -1.0;
  r.LF.bottomRows(nk - ns) *= -1.0;
  // The constrained velocities themselves stay put to the last bit where one coordinate carries one
  // constraint. (Surfaces that move apart cannot be followed both; such a candidate is dropped before it
  // runs.)
  const Matrix left = R * r.S + Rs;
  const bool together = left.cwiseAbs().maxCoeff() <=
                        1e-9 * (Rs.cwiseAbs().maxCoeff() + (R.cwiseAbs() * sys.S.cwiseAbs()).maxCoeff());
  for (Index k = 0; k < nk; ++k) {
    Index only = -1, count = 0;
    for (Index j = 0; j < sys.nx; ++j)
      if (R(k, j) != 0.0) only = j, ++count;
    if (count == 1 && together) {
      r.A.row(only).setZero();
      r.E.row(only).setZero();
      r.S.row(only) = -Rs.row(k) / R(k, only);
    }
  }
}

void list_guards(const System& sys, Regime& r) {
  for (Index i : r.stuck) {
    if (r.shared) break;
    r.guards.push_back({GuardKind::breaks_away, i, +1});
    r.guards.push_back({GuardKind::breaks_away, i, -1});
  }
  for (std::size_t f = 0; f < r.facets.size(); ++f) {
    r.guards.push_back({GuardKind::shared_limit, static_cast<Index>(f), +1});
    r.guards.push_back({GuardKind::shared_limit, static_cast<Index>(f), -1});
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
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    r.guards.push_back(
        {r.modes.contact[j] == static_cast<std::int8_t>(Mode::open) ? GuardKind::closes : GuardKind::opens,
         static_cast<Index>(j), 1});
  for (std::size_t i = 0; i < sys.places.size(); ++i)
    if (sys.places[i].load_force.x.size() > 0)
      r.guards.push_back({GuardKind::load_sign, static_cast<Index>(i), r.modes.load_sign[i]});
  for (std::size_t k = 0; k < r.linear->guards.size(); ++k)
    r.guards.push_back({GuardKind::limit, static_cast<Index>(k), 1});
}

} // namespace

// An affine regime is linear and homogeneous in (x, s), so its matrices are what evaluate() makes of unit
// vectors.
static void probe(const System& sys, Regime& r) {
  const Index nx = sys.nx, ns = sys.ns(), ng = static_cast<Index>(r.guards.size());
  Scratch w(sys);
  Vector x = Vector::Zero(nx), s = Vector::Zero(ns), xdot(nx), force = w.force, g(std::max<Index>(ng, 1));
  // Stiffness of presliding and the like multiply a given load, which therefore stays at its value while x is
  // probed.
  Vector given = Vector::Zero(ns);
  bool needs_load = false;
  for (Index i : r.unstuck)
    if (r.modes.place[static_cast<std::size_t>(i)] == 0) {
      const Index load = sys.places[static_cast<std::size_t>(i)].load;
      given(load) = value(sys.signals[static_cast<std::size_t>(load)], 0.0);
      needs_load = true;
    }
  Vector xdot0 = Vector::Zero(nx), g0 = Vector::Zero(std::max<Index>(ng, 1));
  if (needs_load) {
    evaluate(sys, r, 0.0, x.data(), given.data(), xdot0.data(), force.data(), w);
    guard_values(sys, r, 0.0, x.data(), given.data(), force.data(), g0.data());
  }
  r.Ax.resize(nx, nx);
  r.As.resize(nx, ns);
  r.Gx.resize(ng, nx);
  r.Gs.resize(ng, ns);
  for (Index j = 0; j < nx + ns; ++j) {
    x.setZero();
    s = j < nx ? given : Vector::Zero(ns);
    if (j < nx)
      x(j) = 1.0;
    else
      s(j - nx) = 1.0;
    xdot.setZero();
    evaluate(sys, r, 0.0, x.data(), s.data(), xdot.data(), force.data(), w);
    guard_values(sys, r, 0.0, x.data(), s.data(), force.data(), g.data());
    if (j < nx) {
      r.Ax.col(j) = xdot - xdot0;
      r.Gx.col(j) = (g - g0).head(ng);
    } else {
      r.As.col(j - nx) = xdot;
      r.Gs.col(j - nx) = g.head(ng);
    }
  }
}

static std::unique_ptr<Regime> build(const System& sys, const Modes& modes, const LinearPart& linear) {
  auto r = std::make_unique<Regime>();
  r->modes = modes;
  r->linear = &linear;
  r->affine = true;
  for (std::size_t i = 0; i < sys.places.size(); ++i) {
    const Place& p = sys.places[i];
    const int mode = modes.place[i];
    if (mode == static_cast<int>(Mode::open)) continue;
    const bool held = mode == 0 && p.traits.sticks && p.surface_travel < 0;
    if (held) {
      r->stuck.push_back(static_cast<Index>(i));
      // Ageing limits are not linear in time, and internal states at rest may follow the held force.
      if (p.aged >= 0 || p.states >= 0) r->affine = false;
    } else {
      r->unstuck.push_back(static_cast<Index>(i));
      r->affine = r->affine && is_affine(sys, p, mode);
      if (const Index c = loading_contact(p); c >= 0)
        r->coupled = r->coupled ||
                     modes.contact[static_cast<std::size_t>(c)] == static_cast<std::int8_t>(Mode::closed);
    }
  }
  for (std::size_t j = 0; j < sys.contacts.size(); ++j)
    if (modes.contact[j] == static_cast<std::int8_t>(Mode::closed))
      r->closed.push_back(static_cast<Index>(j));
  constrain(sys, *r);
  list_guards(sys, *r);
  if (r->affine) probe(sys, *r);
  return r;
}

const LinearPart& RegimeCache::linear(const System& sys, const std::vector<std::int8_t>& limit) {
  const std::lock_guard<std::recursive_mutex> lock(access);
  auto& part = parts[limit];
  if (!part) part = std::make_unique<LinearPart>(linear_part(sys, limit));
  return *part;
}

const Regime& RegimeCache::get(const System& sys, const Modes& modes) {
  const std::lock_guard<std::recursive_mutex> lock(access);
  if (last && last->modes == modes) return *last;
  auto it = regimes.find(modes);
  if (it == regimes.end()) {
    it = regimes.emplace(modes, build(sys, modes, linear(sys, modes.limit))).first;
  }
  last = it->second.get();
  return *last;
}

} // namespace stickslip
