#include "sensitivity/guard_slopes.hpp"

#include "sensitivity/law_slopes.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

GuardAnswer GuardSlopes::along(const Modes& modes, Index k, double frame, double t, const Vector& x,
                               const Eigen::Ref<const Tangents>& S, const Vector& moves, const State& sizes) {
  const Regime& r = machine.regime(modes);
  frame = changes.frame_before(frame, t);
  GuardAnswer out;
  out.size = machine.guard_size(modes, r.guards[k], t, x.data(), sizes.nominal);
  const Vector xdot = rates.motion(modes, frame, t, x);
  out.derivative.resize(by.size());
  out.speed.resize(by.size());
  for (Index j = 0; j < by.size(); ++j)
    out.speed(j) = std::max(std::abs(moves(j)) / sizes.time_scale, in_sizes(S.col(j), sizes.nominal));
  if (r.affine && slopes(r).same_guards) {
    const Vector& s = machine.signals(frame, t);
    const double by_time = r.Gs.row(k).dot(machine.signal_rates(frame, t));
    out.rate = r.Gx.row(k).dot(xdot) + by_time;
    out.derivative = by_time * moves;
    for (Index i = 0; i < x.size(); ++i)
      if (r.Gx(k, i) != 0.0) out.derivative += r.Gx(k, i) * S.row(i).transpose();
    for (Index j = 0; j < by.size(); ++j) {
      const RegimeSlopes::Change& change = slopes(r).by[j];
      for (const Entry& e : change.Gx)
        if (e.row == k) out.derivative(j) += e.value * x(e.column);
      for (const Entry& e : change.Gs)
        if (e.row == k) out.derivative(j) += e.value * s(e.column);
    }
    for (const SignalChanges::One& c : changes.all)
      if (c.acts(frame)) out.derivative(c.parameter) += r.Gs(k, c.signal) * c.rate(frame, t);
    return out;
  }
  const auto along = [&](const Vector& dx, double dt) {
    return difference(modes, k, frame, t, x, dx, dt, sizes);
  };
  out.rate = along(xdot, 1.0);
  for (Index j = 0; j < by.size(); ++j) out.derivative(j) = along(S.col(j), moves(j));
  out.derivative += by_parameters(modes, k, frame, t, x);
  return out;
}

// Of a guard in a regime that is not affine. Where it has no closed form, from the neighbouring machines, each with a
// regime of its own.
const Vector& GuardSlopes::by_parameters(const Modes& modes, Index k, double frame, double t,
                                         const Vector& x) {
  const Regime& r = machine.regime(modes);
  const RegimeSlopes& of = slopes(r);
  const bool closed = of.guards.by_sliding.rows() > 0 && has_simple_limits(machine.system(), r, k);
  parameters.setZero(by.size());
  if (closed) add_closed_forms(of, k, frame, t, x);
  const auto guard = [&](Replica& m) { return m.guards(modes, frame, t, x.data())(k); };
  const auto divisor = [&](Replica& m) { return m.divisor(modes, frame, t, x.data()); };
  for (Index j = 0; j < by.size(); ++j)
    if (!(closed && of.by[j].guards) && by[j]->acts(frame))
      parameters(j) = r.coupled ? by[j]->derivative(guard, divisor, machine) : by[j]->derivative(guard);
  return parameters;
}

// Its form and limits, the forces of sliding elements and the holding forces that follow these.
void GuardSlopes::add_closed_forms(const RegimeSlopes& of, Index k, double frame, double t, const Vector& x) {
  const Regime& r = *of.regime;
  const System& sys = machine.system();
  const GuardTerms& terms = r.guard_terms[k];
  rates.motion(r.modes, frame, t, x);
  const Vector force = rates.sliding_forces(r), s = machine.signals(frame, t);
  const Tangents& changed = rates.forces(r.modes, frame, t, x);
  const LawSlopes laws(sys, r);
  const auto by_held = of.guards.by_held.row(k);
  const auto by_sliding = of.guards.by_sliding.row(k);
  for (Index j = 0; j < by.size(); ++j) {
    const RegimeSlopes::Change& change = of.by[j];
    if (!change.guards || !by[j]->acts(frame)) continue;
    parameters(j) += by_sliding.dot(changed.col(j).transpose());
    if (change.Lx.size() > 0)
      parameters(j) += by_held.dot((change.Lx * x + change.Ls * s + change.LF * force).transpose());
    if (!change.of_laws) continue;
    for (const GuardTerms::Limit& l : terms.limits)
      parameters(j) += l.weight * laws.slope_of_limit(l, *by[j]) * s(sys.friction[l.element].load);
  }
  for (const SignalChanges::One& c : changes.all) {
    if (!of.by[c.parameter].guards || !c.acts(frame)) continue;
    double slope = terms.form != nullptr ? terms.sign * terms.form->s(c.signal) : 0.0;
    if (by_held.size() > 0) slope += by_held.dot(r.Ls.col(c.signal).transpose());
    for (const GuardTerms::Limit& l : terms.limits)
      if (sys.friction[l.element].load == c.signal) slope += l.weight * laws.limit_per_load(l, sys);
    if (slope != 0.0) parameters(c.parameter) += slope * c.rate(frame, t);
  }
}

// Difference of sixth order.
double GuardSlopes::difference(const Modes& modes, Index k, double frame, double t, const Vector& x,
                               const Vector& dx, double dt, const State& sizes) {
  const double speed = std::max(std::abs(dt) / sizes.time_scale, in_sizes(dx, sizes.nominal));
  if (!(speed > 0.0) && dx.isZero(0.0)) return 0.0;
  const double step =
      speed > 0.0 ? close_beside / speed : close_beside * unknown_size / dx.cwiseAbs().maxCoeff();
  double sum = 0.0;
  const Stencil& central = central_stencil();
  for (Index i = 0; i < central.offsets.size(); ++i) {
    const double e = central.offsets[i] * step;
    const Vector there = x + e * dx;
    sum += central.weights[i] * machine.guards(modes, frame, t + e * dt, there.data())(k);
  }
  return sum / step;
}

GuardSlope GuardSlopes::by_state(const Modes& modes, Index k, double frame, double t, const Vector& x,
                                 const State& sizes) {
  const Regime& r = machine.regime(modes);
  GuardSlope out;
  out.size = machine.guard_size(modes, r.guards[k], t, x.data(), sizes.nominal);
  const Vector xdot = rates.motion(modes, frame, t, x);
  if (r.affine && slopes(r).same_guards) {
    out.rate = r.Gx.row(k).dot(xdot) + r.Gs.row(k).dot(machine.signal_rates(frame, t));
    out.by_state = r.Gx.row(k);
    return out;
  }
  out.rate = difference(modes, k, frame, t, x, xdot, 1.0, sizes);
  out.by_state.resize(x.size());
  for (Index i = 0; i < x.size(); ++i)
    out.by_state(i) = difference(modes, k, frame, t, x, Vector::Unit(x.size(), i), 0.0, sizes);
  return out;
}

void GuardSlopes::gather(const Modes& modes, Index k, double frame, double t, const Vector& x, double weight,
                         Cotangents& into) {
  const Regime& r = machine.regime(modes);
  frame = changes.frame_before(frame, t);
  if (r.affine && slopes(r).same_guards) {
    RegimeCotangents& of = into.of(r);
    of.Gx.row(k) += weight * x;
    of.Gs.row(k) += weight * machine.signals(frame, t);
    for (const SignalChanges::One& c : changes.all)
      if (c.acts(frame)) into.gradient(c.parameter) += weight * r.Gs(k, c.signal) * c.rate(frame, t);
    return;
  }
  into.gradient += weight * by_parameters(modes, k, frame, t, x);
}

} // namespace stickslip
