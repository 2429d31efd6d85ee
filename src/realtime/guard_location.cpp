#include "realtime/guard_location.hpp"

#include "transition/mode_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double not_fired = -std::numeric_limits<double>::infinity();

} // namespace

GuardLocation::GuardLocation(const System& system, const StepClock& time, BaseStep& base,
                             const PlannedModes& planned, const Moving& signals)
    : sys(system), clock(time), step(base), modes(planned), moving(signals) {
  point = rate = bend = Vector::Zero(sys.nx + moving.size() + 2);
  make_room();
}

// Maps write rows in pairs.
void GuardLocation::make_room() {
  room = modes.most_guards();
  for (List<double>* values : {&at_start, &at_end, &at_first}) values->resize(room + 2);
}

void GuardLocation::move_to_first(double end, bool met) noexcept {
  const RealTimePlan& plan = *modes.plan;
  double tau = 2.0 * clock.h;
  Index which = 0;
  int count = 0;
  if (!plan.quick) step.guards(step.a, 0.0, at_start.data());
  for (Index k = 0; k < plan.tolerance.size(); ++k) {
    if (met && !meets_contact(plan.regime->guards[k])) at_end[k] = not_fired;
    if (!(at_end[k] > plan.tolerance[k])) continue;
    ++count;
    if (plan.quick) at_start[k] = step.guard(k, step.a, 0.0);
    const double time = at_start[k] > plan.tolerance[k] ? 0.0 : locate(k, end);
    if (time < tau) tau = time, which = k;
  }
  StepPoint& p = tau > 0.0 ? step.at(tau) : step.a;
  if (count > 1 && !met) { // some of the others may fire at the same instant
    step.guards(p, tau, at_first.data());
  } else {
    std::fill_n(at_first.begin(), plan.tolerance.size(), not_fired);
    at_first[which] = 0.0;
  }
  least = std::min(at_first[which], 0.0);
  if (tau > 0.0) step.move_to(p, tau);
}

bool GuardLocation::fires(Index k) const noexcept {
  const double zero = modes.plan->tolerance[k];
  return at_first[k] > zero || (at_end[k] > zero && at_first[k] >= least);
}

// On a parabola through both values, with its slope at the end of the base (or its value in the middle), which is exact
// for linear guards.
double GuardLocation::locate(Index which, double end) noexcept {
  const RealTimePlan& plan = *modes.plan;
  double g0 = std::min(at_start[which], 0.0), square = 0.0; // of tau / end
  const double g1 = at_end[which];
  if (plan.exact()) { // with its slope at the start: a short rebound takes a small part of the step
    if (-g0 <= plan.rounding(which, step.a.x))
      g0 = 0.0; // rebounds begin at the wall: else their flights would not get shorter
    square = g1 - g0 - plan.guard_slope(which, step.rates_at_start().data()) * end;
  } else if (plan.quick) {
    const double slope = plan.guard_slope(which, step.rates_at_end().data());
    square = (g1 - g0 - slope * end) / (end - 2.0 * step.length()) * end;
  } else {
    step.guards(step.at(0.5 * end), 0.5 * end, at_first.data());
    square = 2.0 * (g0 - 2.0 * at_first[which] + g1);
  }
  const double slope = g1 - g0 - square, inside = slope * slope - 4.0 * square * g0;
  const double root = inside >= 0.0 ? std::sqrt(inside) : -1.0;
  const double theta = root < 0.0    ? 2.0
                       : slope > 0.0 ? -2.0 * g0 / (slope + root)
                                     : (root - slope) / (2.0 * square); // it decreases first
  const double tau = end * (theta >= 0.0 && theta <= 1.0 ? theta : g0 / (g0 - g1));
  return plan.exact() ? refine(which, tau, end, (slope + 2.0 * square * tau / end) / end) : tau;
}

// Newton's method with the slope of the parabola at its root, until what is left is rounding.
double GuardLocation::refine(Index which, double tau, double end, double slope) noexcept {
  constexpr int most_rounds = 3; // each gains about three digits
  for (int round = 0; round < most_rounds && slope > 0.0 && tau > 0.0 && tau < end; ++round) {
    const StepPoint& p = step.on_exact_flow(tau);
    const double residual = step.guard(which, p, tau);
    if (std::abs(residual) <= modes.plan->rounding(which, p.x)) break;
    tau = std::clamp(tau - residual / slope, 0.0, end);
  }
  return tau;
}

bool GuardLocation::lasts(const Modes& present, const double* x) noexcept {
  constexpr double located = 1e3; // times the tolerance of a guard: error of event location
  const RealTimePlan* const next = modes.known(present);
  if (next == nullptr || !next->exact()) return true;
  const double h = clock.h;
  const Index nv = moving.size();
  std::copy_n(x, sys.nx, point.data());
  std::copy_n(step.a.s, nv, point.data() + sys.nx);
  next->rate(point.data(), rate.data());
  for (Index j = 0; j < nv; ++j) rate(sys.nx + j) = step.a.change[j] / h;
  for (Index i = 0; i < sys.nx; ++i) bend(i) = next->rate.linear_row(i, rate.data());
  for (Index k = 0; k < next->tolerance.size(); ++k) {
    const double zero = located * next->tolerance[k];
    double value = next->guards.row(k, point.data());
    if (std::abs(value) <= zero) value = h * next->guards.linear_row(k, rate.data());
    if (std::abs(value) <= zero) value = h * h * next->guards.linear_row(k, bend.data());
    if (value > zero) return false;
  }
  return true;
}

} // namespace stickslip
