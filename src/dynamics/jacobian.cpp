// Derivatives of a regime's motion, for the stiff flow and for transitions: the same formulas as evaluate(), by
// numbers with derivatives, and the same constraint factors.
#include "dynamics/element_force.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/tangent.hpp"
#include "model/smooth.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double share_of_size = 1e-3; // of the deflection at break-away, a bristle's own size
constexpr double share_of_formula =
    1e-7; // of a state of a formula: balances the errors of rounding and curvature

using ConstVector = Eigen::Map<const Vector>;
using Seeded = Dual<element_seeds>;

// Arguments of an element's force, in the order of the derivatives; then as many of its internal states as
// fit at once.
enum Seed : Index {
  by_velocity,
  by_load,
  by_memory,
  by_peak,
  by_injected,
  by_injection_rate,
  by_first_state
};
constexpr Index states_at_once = element_seeds - by_first_state;

// Derivatives d x' / d x with d x' / d t as a last column, and the data for them.
class Derivatives {
public:
  // `turns`: how rows and signals of a machine that is not linear change; null in a linear one.
  Derivatives(const System& system, const Regime& regime, const double* state, const double* signals,
              const double* signal_rates, Scratch& scratch, const Turning* turns = nullptr)
      : sys(system), r(regime), x(state), s(signals), sdot(signal_rates, system.ns()), turning(turns),
        w(scratch), nx(system.nx), J(scratch.rate_rows), forces(scratch.force_rows), held(scratch.held_rows) {
    w.for_derivatives(sys);
  }

  void run(double t) {
    const Index nu = r.sliding.size();
    contact_loads = r.coupled;
    for (Index i : r.sticking)
      forces_at_rest =
          forces_at_rest || sys.friction[i].states >= 0 || held_by_lag(sys.friction[i], r.modes, i) != 0;
    if (contact_loads || forces_at_rest) evaluate(sys, r, t, x, s, w.xdot.data(), w.force.data(), w);
    J.setZero(nx, nx + 1);
    forces.setZero(nu, nx + 1);
    for (Index k = 0; k < nu; ++k) slides(k);
    if (contact_loads) follow_contacts();
    J.leftCols(nx) += r.A;
    add_signals(J, r.S);
    if (turning) accelerate();
    J.noalias() += r.E * forces;
    if (!forces_at_rest) return;
    held_forces();
    for (Index k = 0; k < r.sticking.size(); ++k) rests(k);
  }

private:
  const System& sys;
  const Regime& r;
  const double *x, *s;
  ConstVector sdot;
  const Turning* turning;
  Scratch& w;
  Index nx;
  Matrix &J, &forces, &held; // rows of rates, of sliding forces, of constraint forces
  bool contact_loads = false, forces_at_rest = false;

  double lambda(const Friction& p) const {
    const Index c = loading_contact(p);
    return c < 0 ? 0.0 : w.force(sys.friction.size() + c);
  }

  // Contribution of signals that enter by the columns of `by`; by a row; of a single signal.
  template <class Columns> void add_signals(Matrix& rows, const Columns& by) const {
    if (turning)
      rows.noalias() += by * turning->signals;
    else
      rows.col(nx).noalias() += by * sdot;
  }
  template <class Row> void add_signals(Matrix& rows, Index i, double factor, const Row& by) const {
    if (turning)
      rows.row(i).noalias() += factor * (by * turning->signals);
    else
      rows(i, nx) += factor * by.dot(sdot);
  }
  void add_signal(Matrix& rows, Index i, double factor, Index signal) const {
    if (turning)
      rows.row(i) += factor * turning->signals.row(signal);
    else
      rows(i, nx) += factor * sdot(signal);
  }

  // Accelerations under constraints from those without constraints.
  void accelerate() {
    const Matrix& free = turning->accelerations;
    J += free;
    for (Index k = 0; k < r.L.entries.rows(); ++k)
      J.noalias() += holding_effect(sys, r, k) * (r.L.entries.row(k) * free);
  }

  // Row of a linear form: its rate by x', and its change by time alone.
  void add(Matrix& rows, Index i, double factor, const Form& f) const {
    if (factor == 0.0 || f.x.size() == 0) return;
    rows.row(i).head(nx) += factor * f.x.transpose();
    add_signals(rows, i, factor, f.s.transpose());
  }

  // Chain rule from an element's inputs to (x, t); `first` is the number of the first internal state in it.
  void add(Matrix& rows, Index i, Index element, int direction, int load_stretch, const Seeded& value,
           Index first) const {
    const Friction& p = sys.friction[element];
    const auto by = [&](Index seed) { return value.d[seed]; };
    for (Index j = first; j < std::min(first + states_at_once, p.traits.states); ++j)
      rows(i, p.states + j) += by(by_first_state + j - first);
    if (first > 0) return; // the same derivatives once more
    add(rows, i, by(by_velocity), p.velocity);
    if (turning) rows.row(i) += by(by_velocity) * turning->velocities.row(element);
    if (p.contact < 0) {
      if (!p.load_parts.empty()) add(rows, i, by(by_load), p.load_parts[load_stretch]);
      add_signal(rows, i, by(by_load), p.load);
    }
    if (const Index m = memory_of(p, direction); m >= 0) rows(i, m) += by(by_memory);
    if (p.peak >= 0) rows(i, p.peak) += by(by_peak);
    if (p.injected >= 0) {
      rows(i, p.injected) += by(by_injected);
      rows.row(i).head(nx) += by(by_injection_rate) * r.A.row(p.injected);
      add_signals(rows, i, by(by_injection_rate), r.S.row(p.injected));
    }
  }

  ElementInput<Seeded> inputs(const Friction& p, int direction, int load_stretch, double v, Index first) {
    ElementInput<Seeded> in;
    in.velocity = Seeded::variable(v, by_velocity);
    const double N = normal_load(p, load_stretch, x, s);
    in.load = Seeded::variable(p.contact >= 0 ? N : N + load_per_normal(p) * lambda(p), by_load);
    if (const Index m = memory_of(p, direction); m >= 0) in.memory = Seeded::variable(x[m], by_memory);
    if (p.peak >= 0) in.peak = Seeded::variable(x[p.peak], by_peak);
    if (p.injected >= 0) {
      const double rate =
          r.A.row(p.injected).dot(ConstVector(x, nx)) + r.S.row(p.injected).dot(ConstVector(s, sys.ns()));
      in.injected = Seeded::variable(x[p.injected], by_injected);
      in.injection_rate = Seeded::variable(rate, by_injection_rate);
    }
    for (Index j = 0; j < p.traits.states; ++j) {
      const Index seed = j - first;
      w.seeded[j] = seed >= 0 && seed < states_at_once
                        ? Seeded::variable(x[p.states + j], by_first_state + seed)
                        : Seeded(x[p.states + j]);
    }
    in.z = w.seeded.data();
    in.zdot = w.seeded_rate.data();
    return in;
  }

  // Force of sliding element k and the rates of its own states, under the contact forces as they are.
  void slides(Index k) {
    const Index i = r.sliding[k];
    const Friction& p = sys.friction[i];
    const FrictionMode& now = r.modes.friction[i];
    const int direction = now.force_side();
    const double v = relative_velocity(p, x, s);
    for (Index first = 0; first == 0 || first < p.traits.states; first += states_at_once) {
      const ElementInput<Seeded> in = inputs(p, direction, now.load_stretch, v, first);
      const ElementForce<Seeded> f = element_force(p.law, p, direction, now.branch, in);
      const Seeded multiplier = p.contact >= 0 ? Seeded(lambda(p)) : in.load;
      add(forces, k, i, direction, now.load_stretch, f.dry * multiplier + f.other, first);
      if (first == 0) w.dry(k) = f.dry.x * load_per_normal(p);
      if (const Index m = memory_of(p, direction); m >= 0) {
        add(J, m, i, direction, now.load_stretch, f.memory_rate, first);
        if (first == 0) w.memory_by_normal(k) = memory_by_normal(p, f);
      }
      if (direction == 0) continue;
      for (Index j = 0; j < p.traits.states; ++j)
        add(J, p.states + j, i, direction, now.load_stretch, w.seeded_rate[j], first);
    }
  }

  static double memory_by_normal(const Friction& p, const ElementForce<Seeded>& f) {
    return p.contact >= 0 ? 0.0 : f.memory_rate.d[by_load] * load_per_normal(p);
  }

  // Friction and the normal forces that load it determine each other: with F = other + dry lambda,
  //   lambda' = L' + LF (F'|lambda + dry lambda'),  so  (1 - LF dry) lambda' = L' + LF F'|lambda.
  void follow_contacts() {
    const Index first = r.sticking.size(), m = r.closed.size();
    Matrix& normal = w.normal_rows;
    normal.resize(m, nx + 1);
    normal.leftCols(nx) = r.Lx.middleRows(first, m);
    normal.col(nx).setZero();
    add_signals(normal, r.Ls.middleRows(first, m));
    if (turning) normal.noalias() += r.L.entries.middleRows(first, m) * turning->accelerations;
    normal.noalias() += r.LF.middleRows(first, m) * forces;
    solve_coupling(sys, r, w, normal.data(), nx + 1);
    for (Index k = 0; k < r.sliding.size(); ++k) {
      const Friction& p = sys.friction[r.sliding[k]];
      const Index row = normal_row(r, loading_contact(p)) - first;
      if (row < 0) continue;
      forces.row(k) += w.dry(k) * normal.row(row);
      if (const Index at = memory_of(p, r.modes.friction[r.sliding[k]].force_side()); at >= 0)
        J.row(at) += w.memory_by_normal(k) * normal.row(row);
    }
  }

  void held_forces() {
    held.resize(r.Lx.rows(), nx + 1);
    held.leftCols(nx) = r.Lx;
    held.col(nx).setZero();
    add_signals(held, r.Ls);
    if (turning) held.noalias() += r.L.entries * turning->accelerations;
    held.noalias() += r.LF * forces;
  }

  // Rates of formulas are not linear.
  double step_at_rest(const Friction& p, Index state) const {
    const double value = std::abs(w.z(state));
    if (!p.traits.searches) return std::max(value, share_of_size * p.break_away / p.traits.stiffness);
    const double size = std::max(value, sys.nominal(p.states + state));
    return share_of_formula * (size > 0.0 ? size : 1.0);
  }

  // Internal states of an element at rest: a lagged force that continues, bristles that follow the held force.
  void rests(Index k) {
    const Index i = r.sticking[k];
    const Friction& p = sys.friction[i];
    const FrictionMode& now = r.modes.friction[i];
    const Index normal = normal_row(r, loading_contact(p));
    if (const int side = held_by_lag(p, r.modes, i); side != 0) {
      ElementInput<Seeded> in = inputs(p, side, now.load_stretch, 0.0, 0);
      in.velocity = Seeded(0.0);
      const ElementForce<Seeded> f = element_force(p.law, p, side, 0U, in);
      add(J, p.lagged, i, side, now.load_stretch, f.memory_rate, 0);
      if (normal >= 0) J.row(p.lagged) += memory_by_normal(p, f) * held.row(normal);
    }
    if (p.states < 0) return;
    // Rates at rest are linear in the utilisation u = F / N and in the states, so differences are derivatives.
    const double N = total_load(sys, p, now.load_stretch, x, s, w.force.data());
    const Index own = p.traits.states;
    if (!(N > 0.0)) return;
    for (Index j = 0; j < own; ++j) w.z(j) = x[p.states + j];
    const Interval unit = rest_interval(p.law, w.z.data(), N);
    const double middle = 0.5 * (unit.lo + unit.hi), width = 0.25 * (unit.hi - unit.lo);
    const auto rates = [&](double utilisation, double load, Vector& out) {
      rest_rates(p.law, utilisation, w.z.data(), out.data(), load);
    };
    rates(middle, N, w.zdot);
    if (width > 0.0) {
      rates(middle + width, N, w.zdot_v);
      const double u = w.force(i) / N, step = share_of_formula * N;
      if (p.traits.reads_load) rates(middle, N + step, w.dry_z);
      for (Index l = 0; l < own; ++l) {
        const double by_u = (w.zdot_v(l) - w.zdot(l)) / width;
        const double by_N = (p.traits.reads_load ? (w.dry_z(l) - w.zdot(l)) / step : 0.0) - by_u * u / N;
        J.row(p.states + l) += (by_u / N) * held.row(k);
        if (normal >= 0) J.row(p.states + l) += (by_N * load_per_normal(p)) * held.row(normal);
        if (p.contact >= 0) continue;
        if (!p.load_parts.empty()) add(J, p.states + l, by_N, p.load_parts[now.load_stretch]);
        add_signal(J, p.states + l, by_N, p.load);
      }
    }
    for (Index j = 0; j < own; ++j) {
      const double step = step_at_rest(p, j);
      w.z(j) += step;
      rates(middle, N, w.zdot_v);
      w.z(j) -= step;
      for (Index l = 0; l < own; ++l) J(p.states + l, p.states + j) += (w.zdot_v(l) - w.zdot(l)) / step;
    }
  }
};

// Central differences, where loads by reactions follow the whole motion.
void by_differences(const System& sys, const Regime& r, double t, const double* x, const double* s,
                    const double* sdot, Matrix& J, Vector& dfdt, Scratch& w) {
  constexpr double share =
      6e-6; // of a state: the cube root of the rounding unit balances rounding and curvature
  const Index nx = sys.nx;
  const ConstVector X(x, nx), S(s, sys.ns()), Sdot(sdot, sys.ns());
  Vector at = X, signals = S, ends[2] = {Vector::Zero(nx), Vector::Zero(nx)}, force = w.force;
  const auto difference = [&](auto&& shift, double h) -> Vector {
    for (int k = 0; k < 2; ++k) {
      const double by = k == 0 ? h : -h;
      at = X, signals = S, ends[k].setZero();
      const double time = shift(by);
      evaluate(sys, r, time, at.data(), signals.data(), ends[k].data(), force.data(), w);
    }
    return (ends[0] - ends[1]) / (2.0 * h);
  };
  J.resize(nx, nx);
  for (Index j = 0; j < nx; ++j) {
    const double size = std::max(std::abs(x[j]), sys.nominal(j));
    J.col(j) = difference([&](double by) { return at(j) += by, t; }, share * (size > 0.0 ? size : 1.0));
  }
  dfdt = difference([&](double by) { return signals += by * Sdot, t + by; },
                    share * (sys.time_scale > 0.0 ? sys.time_scale : 1.0));
}

} // namespace

void jacobian(const System& sys, const Regime& r, double t, const double* x, const double* s,
              const double* sdot, Matrix& J, Vector& dfdt, Scratch& w) {
  if (sys.smooth && !sys.smooth->reactions.empty()) return by_differences(sys, r, t, x, s, sdot, J, dfdt, w);
  if (sys.smooth) {
    Tangent& at = w.tangent(sys);
    evaluate(sys, r, t, x, s, w.xdot.data(), w.force.data(), w);
    const Regime& here = at.regime(r.modes);
    const Turning& turning = at.turning(w.xdot.data(), w.force.data(), sdot);
    Derivatives(at.system, here, x, at.signals(s), sdot, w, &turning).run(t);
  } else {
    Derivatives(sys, r, x, s, sdot, w).run(t);
  }
  J = w.rate_rows.leftCols(sys.nx);
  dfdt = w.rate_rows.col(sys.nx);
}

} // namespace stickslip
