// Derivatives of a regime's motion, for the stiff flow.
#include "dynamics/regime.hpp"

#include "dynamics/place_force.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;

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
    const int mode = r.modes.friction[i].direction(), sign = r.modes.friction[i].load_sign;
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
      const Slopes d = linearise(p.law, v, mode, r.modes.friction[i].branch, z, w.dry_z.data(),
                                 w.zdot_v.data(), w.zdot_z.data());
      double dry_v = d.dry_v,
             dry = evaluate(p.law, v, mode, r.modes.friction[i].branch, z, w.zdot.data()).dry;
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
        if (p.load_force.x.size() > 0)
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
    if (p.load_force.x.size() > 0) row += (F_N * p.load_per_force * sign) * p.load_force.x;
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
  for (Index i : r.stuck) { // a lagged force that goes on in stick: T f' = N dry - f
    const auto u = static_cast<std::size_t>(i);
    const Place& p = sys.places[u];
    const int side = held_by_lag(p, r.modes, u);
    if (side == 0) continue;
    J(p.lagged, p.lagged) -= 1.0 / p.automaton.lag;
    const double dry = side * evaluate(p.law, 0.0, side, 0, nullptr, nullptr).dry / p.automaton.lag;
    double N_t = sdot[p.load];
    if (p.load_force.x.size() > 0) {
      const double per = p.load_per_force * r.modes.friction[u].load_sign;
      J.row(p.lagged) += (dry * per) * p.load_force.x.transpose();
      N_t += per * p.load_force.s.dot(Sdot);
    }
    dfdt(p.lagged) += dry * N_t;
  }
  if (!internal_at_rest) return;
  evaluate(sys, r, t, x, s, w.xdot.data(), w.force.data(), w);
  // Rates of internal states at rest are linear in the held force and in these states, so differences are
  // derivatives.
  for (std::size_t k = 0; k < r.stuck.size(); ++k) {
    const auto i = static_cast<std::size_t>(r.stuck[k]);
    const Place& p = sys.places[i];
    const Index own = p.traits.states;
    if (own == 0) continue;
    const double N = normal_load(p, r.modes.friction[i].load_sign, x, s);
    if (!(N > 0.0)) continue;
    for (Index j = 0; j < own; ++j) w.z(j) = x[p.states + j];
    const Interval unit = rest_interval(p.law, w.z.data());
    const double middle = 0.5 * (unit.lo + unit.hi), width = 0.25 * (unit.hi - unit.lo);
    rest_rates(p.law, middle, w.z.data(), w.zdot.data());
    rest_rates(p.law, middle + width, w.z.data(), w.zdot_v.data());
    for (Index l = 0; l < own; ++l) {
      const double by_force = width > 0.0 ? (w.zdot_v(l) - w.zdot(l)) / (width * N) : 0.0;
      J.row(p.states + l) += by_force * w.held_x.row(static_cast<Index>(k));
      dfdt(p.states + l) +=
          by_force * (w.held_t(static_cast<Index>(k)) - w.force(static_cast<Index>(i)) / N * sdot[p.load]);
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

} // namespace stickslip
