#include "realtime/base_step.hpp"

#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "realtime/contact_instant.hpp"

#include <algorithm>

namespace stickslip {

namespace {

Index most_curved(const System& sys) {
  return 2 * sys.friction.size() + 1;
}

} // namespace

BaseStep::BaseStep(const System& system, StepClock& time, LocalMachine& machine, PlannedModes& planned)
    : a(system.nx, machine.moving_signals().size(), most_curved(system)), sys(system), clock(time),
      local(machine), modes(planned), moving(machine.moving_signals()),
      mapped(system.nx, moving.size(), most_curved(system)),
      implicit(system, machine, system.smooth || has_rigid_contacts(system)),
      b(system.nx, moving.size(), most_curved(system)),
      between(system.nx, moving.size(), most_curved(system)),
      first(Vector::Zero(system.nx + moving.size() + 2)),
      last(Vector::Zero(system.nx + moving.size() + most_curved(system) + 2)), half(2 * system.nx + 4),
      held(system.friction.size() + system.contacts.size()) {
  for (Index j = 0; j < moving.size(); ++j) a.s[j] = local.signals()(moving.signals[j]);
}

void BaseStep::advance() noexcept {
  end_known = false;
  const RealTimePlan& plan = *modes.plan;
  span = plan.quick ? clock.h : clock.left;
  if (plan.quick)
    mapped.advance(plan, a, b);
  else
    implicit.advance(*plan.regime, clock.now(), span, clock.h, a, b);
}

void BaseStep::complete_signals() noexcept {
  for (Index j = 0; j < moving.size(); ++j) a.s[j] += (clock.left / clock.h) * a.change[j];
}

void BaseStep::change_modes() noexcept {
  modes.renew();
  restart();
}

void BaseStep::rates(const StepPoint& p, double tau, double* out) noexcept {
  if (modes.plan->quick)
    modes.plan->rate(p.x, out);
  else
    local.rates(*modes.plan->regime, clock.now() + tau, p.x, local.signals(p), out);
}

void BaseStep::find_end() noexcept {
  if (!end_known) rates(b, span, last.data());
  end_known = true;
}

const Vector& BaseStep::rates_at_start() noexcept {
  find_forces();
  rates(a, 0.0, first.data());
  for (Index j = 0; j < moving.size(); ++j) first(sys.nx + j) = a.change[j] / clock.h;
  return first;
}

const Vector& BaseStep::rates_at_end() noexcept {
  find_end();
  double* const signals = last.data() + sys.nx;
  for (Index j = 0; j < moving.size(); ++j) signals[j] = a.change[j] / clock.h;
  for (Index j = 0; j < modes.plan->curved.size(); ++j) signals[moving.size() + j] = (b.f[j] - a.f[j]) / span;
  return last;
}

// On the parabola through both ends with the rate at the second one. Its error is of third order in the step.
StepPoint& BaseStep::between_ends(double tau) noexcept {
  if (modes.plan->exact()) return on_exact_flow(tau);
  find_end();
  const double back = tau / span - 1.0, linear = (back + back * back) * span, square = back * back;
  StepPoint& p = between;
  for (Index i = 0; i < sys.nx; ++i) p.x[i] = b.x[i] + linear * last(i) + square * (a.x[i] - b.x[i]);
  for (Index j = 0; j < moving.size(); ++j) p.s[j] = a.s[j] + (tau / clock.h) * a.change[j];
  for (Index j = 0; j < modes.plan->curved.size(); ++j) p.f[j] = a.f[j] + (tau / span) * (b.f[j] - a.f[j]);
  return p;
}

// By the exact flow over the halves whose sum is tau.
StepPoint& BaseStep::on_exact_flow(double tau) noexcept {
  const RealTimePlan& plan = *modes.plan;
  const Index nv = moving.size();
  StepPoint& p = between;
  std::copy_n(a.change, 2 * nv + sys.nx, p.change);
  double share = 1.0, rest = tau / clock.h;
  for (const SmallMap& map : plan.halves) {
    share *= 0.5;
    if (rest < share) continue;
    rest -= share;
    map(p.change, half.data());
    std::copy_n(half.data(), sys.nx, p.x);
    for (Index j = 0; j < nv; ++j) p.s[j] += share * p.change[j];
  }
  // The remainder of the time to second order, so that even the shortest flight returns.
  double *const before = half.data(), *const after = before + sys.nx + 2;
  plan.rate(p.x, before);
  for (Index i = 0; i < sys.nx; ++i) p.x[i] += rest * clock.h * before[i];
  for (Index j = 0; j < nv; ++j) p.s[j] = a.s[j] + (tau / clock.h) * a.change[j];
  plan.rate(p.x, after);
  for (Index i = 0; i < sys.nx; ++i) p.x[i] += 0.5 * rest * clock.h * (after[i] - before[i]);
  return p;
}

void BaseStep::guards(const StepPoint& p, double tau, double* g) noexcept {
  const RealTimePlan& plan = *modes.plan;
  if (!plan.short_guards.empty()) {
    for (const SparseRow& row : plan.short_guards) *g++ = row(p.x);
    return;
  }
  if (!plan.quick) return local.guards(*plan.regime, clock.now() + tau, p, g);
  plan.guards(p.x, g);
  for (const RealTimePlan::Ageing& one : plan.ageing) {
    const double share = aged_share(sys.friction[one.element], clock.now() + tau, p.x);
    g[one.guard] -= (1.0 - share) * one.level * one.load(p.x);
  }
}

double BaseStep::guard(Index which, const StepPoint& p, double tau) const noexcept {
  const RealTimePlan& plan = *modes.plan;
  if (!plan.short_guards.empty()) return plan.short_guards[which](p.x);
  double g = plan.guards.row(which, p.x);
  for (const RealTimePlan::Ageing& one : plan.ageing)
    if (one.guard == which)
      g -= (1.0 - aged_share(sys.friction[one.element], clock.now() + tau, p.x)) * one.level * one.load(p.x);
  return g;
}

void BaseStep::hold_by_rows() noexcept {
  if (sys.constraints.any()) {
    Vector x = Eigen::Map<const Vector>(a.x, sys.nx);
    local.tangent().project(clock.now(), x, modes.now);
    std::copy_n(x.data(), sys.nx, a.x);
  } else if (!modes.plan->regime->sticking.empty()) {
    const double* const s = signals_at_start();
    local.tangent().rest(modes.now, s, a.x);
  }
}

} // namespace stickslip
