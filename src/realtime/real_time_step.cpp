// One step of the fixed-step form.
#include "core/list.hpp"
#include "core/small_lu.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/friction_force.hpp"
#include "dynamics/tangent.hpp"
#include "realtime/real_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double ros2 = 0.29289321881345247560; // 1 - 1/sqrt(2)

bool finite(const double* x, Index n) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

using Map = Eigen::Map<Vector>;

} // namespace

void RealTime::step(const double* given) noexcept {
  late = clipped = false;
  if (failed) {
    ++ticks;
    return;
  }
  begin(given);
  const Point* end = nullptr;
  for (int count = 0;;) {
    const double next = sampled->any() ? sampled->next_output(ticks, at) : left;
    const bool output = next < left;
    if (output && next <= 0.0) {
      put_out_within(at);
      continue;
    }
    const double stop = output ? next : left;
    advance();
    Point& p = point_at(stop);
    if (!finite(p.x, sys.nx)) {
      failed = true;
      ++ticks;
      return;
    }
    guards_at(p, stop, gb.data());
    const bool fired = plan->any_fired(gb), strikes = contacts && count >= most && plan->any_strikes(gb);
    if (fired && (count < most || (strikes && count < most + sys.contacts.size()))) {
      if (strikes) flag_late();
      change_within(stop);
      ++count;
      if (left <= tolerance::instant * h) break;
      continue;
    }
    if (fired) flag_late();
    if (!output) {
      end = &p;
      break;
    }
    take(p, stop);
    put_out_within(at);
  }
  finish(end);
}

// Inputs, sampling instants and surfaces with velocity jumps at the start of a step.
void RealTime::begin(const double* given) noexcept {
  const bool jumped = sample(given);
  at = 0.0;
  left = h;
  have_values = false;
  for (const Ring& ring : rings)
    a.x[sys.friction[ring.element].delayed] = ring.at(ticks, 0.5); // velocity at the middle of the step
  bool anew = jumped;
  if (sampled->any()) {
    if (fresh && jumped) sampled->restart();
    anew = sampled->run(ticks, time(), {plan->inputs, a.x}) || anew;
  }
  fresh = false;
  if (jumped && !moving_surfaces.empty()) follow_jumps();
  if (anew && sys.saturations > 0) saturations_anew();
}

// The step leaves a transition to the next one.
void RealTime::flag_late() noexcept {
  if (!late) ++left_over;
  late = true;
}

// The first guard that fires before `stop` changes the modes at its instant. After `max_transitions` only contacts that
// are reached close, without rebound.
void RealTime::change_within(double stop) noexcept {
  const Index ng = plan->tolerance.size();
  double first = 2.0 * h;
  Index which = 0;
  int how_many = 0;
  if (!plan->quick) guards_at(a, 0.0, ga.data());
  for (Index k = 0; k < ng; ++k) {
    if (late && !meets_contact(plan->regime->guards[k])) gb[k] = -std::numeric_limits<double>::infinity();
    if (!(gb[k] > plan->tolerance[k])) continue;
    ++how_many;
    if (plan->quick) ga[k] = guard_at(k, a, 0.0);
    const double tau = ga[k] > plan->tolerance[k] ? 0.0 : locate(k, stop);
    if (tau < first) first = tau, which = k;
  }
  const double tau = first;
  Point& q = tau > 0.0 ? point_at(tau) : a;
  if (how_many > 1 && !late) { // some of the others may fire at the same instant
    guards_at(q, tau, ge.data());
  } else {
    std::fill_n(ge.begin(), ng, -std::numeric_limits<double>::infinity());
    ge[which] = 0.0;
  }
  if (tau > 0.0) take(q, tau);
  change(which);
  ++transitions;
}

// end: the point at the end of the step; null if the last change of modes was there.
void RealTime::finish(const Point* end) noexcept {
  if (end != nullptr) {
    std::copy_n(end->x, sys.nx + moving.size(), a.x);
  } else {
    for (Index j = 0; j < moving.size(); ++j) a.s[j] += (left / h) * a.change[j];
  }
  ++ticks;
  at = 0.0;
  meet_what_holds();
  if (!sys.smooth) keep_constraints(sys, time(), a.x);
  if (plan->follows) settle_following(a);
  if (!rings.empty()) remember();
  look_at_loads();
}

void RealTime::take(const Point& p, double passed) noexcept {
  std::copy_n(p.x, sys.nx + moving.size(), a.x);
  have_values = false;
  at += passed;
  left -= passed;
}

// Base step of this part: from a at `at` over `span`, at least to the end of the step.
void RealTime::advance() noexcept {
  have_rate = false;
  if (plan->quick) {
    span = h;
    quick_step();
  } else {
    span = left;
    implicit_step();
  }
}

void RealTime::forces_at_a() noexcept {
  const List<CurvedForce>& curved = plan->curved;
  for (Index j = 0; j < curved.size(); ++j) {
    values[j] = evaluate(curved[j], a.x);
    a.f[j] = values[j].f;
  }
  have_values = true;
}

void RealTime::quick_step() noexcept {
  const List<CurvedForce>& curved = plan->curved;
  const auto m = curved.size();
  if (m > 0 && !have_values) forces_at_a();
  plan->step(a.change, b.x);
  for (Index j = 0; j < moving.size(); ++j) b.s[j] = a.s[j] + a.change[j];
  if (m == 0) return;
  if (m == 1 && std::isfinite(values[0].by_u))
    add_one_force();
  else
    add_forces();
}

// Change of the step by the only nonlinear force.
void RealTime::add_one_force() noexcept {
  CurvedValue& v = values[0];
  const CurvedForce& c = plan->curved[0];
  double gain = v.by_u * plan->u_end.coeff(0) + v.by_load * plan->load_end.coeff(0);
  const double* column = plan->end.data();
  if (gain < -1.0) {
    gain = v.by_u * plan->u_through.coeff(0) + v.by_load * plan->load_through.coeff(0);
    column = plan->through.data();
  }
  const double now_more =
      gain > 0.5 ? 0.0 // grows faster than the step: explicit
                 : (v.by_u * (c.u(b.x) - v.u) + v.by_load * (c.load(b.x) - v.load)) / (1.0 - gain);
  for (Index i = 0; i < sys.nx; ++i) b.x[i] += column[i] * now_more;
  b.f[0] = v.f + now_more;
}

// The same for several forces that depend on each other: d = slopes . (change of u and load), which itself depends on
// d.
void RealTime::add_forces() noexcept {
  const List<CurvedForce>& curved = plan->curved;
  const auto m = curved.size();
  for (Index i = 0; i < m; ++i) {
    const CurvedForce& c = curved[i];
    CurvedValue& v = values[i];
    const double du = c.u(b.x) - v.u, dN = c.load(b.x) - v.load;
    double gain = v.by_u * plan->u_end(i, i) + v.by_load * plan->load_end(i, i);
    const bool stiff = gain < -1.0;
    if (gain > 0.5) v.by_u = v.by_load = 0.0; // grows faster than the step: explicit
    rhs[i] = v.by_u * du + v.by_load * dN;
    if (!std::isfinite(v.by_u)) { // a vertical tangent at v = 0 has no finite slope; the force is finite
      CurvedValue later = evaluate(c, b.x);
      rhs[i] = later.f - v.f;
      v.by_u = v.by_load = 0.0;
      gain = 0.0;
    }
    order(i) = stiff; // chosen by column; the factorisation below follows
  }
  for (Index j = 0; j < m; ++j) {
    const bool stiff = order(j) != 0;
    const Matrix& U = stiff ? plan->u_through : plan->u_end;
    const Matrix& L = stiff ? plan->load_through : plan->load_end;
    for (Index i = 0; i < m; ++i) {
      const CurvedValue& v = values[i];
      K[j * m + i] = (i == j ? 1.0 : 0.0) - v.by_u * U(i, j) - v.by_load * L(i, j);
    }
  }
  for (Index j = 0; j < m; ++j) b.f[j] = order(j); // copied before pivoting
  if (lu_factor(K.data(), m, order.data()))
    lu_solve(K.data(), m, order.data(), rhs.data(), d.data());
  else
    std::fill_n(d.begin(), m, 0.0);
  for (Index j = 0; j < m; ++j) order(j) = b.f[j] != 0.0;
  for (Index j = 0; j < m; ++j) {
    const double change_of_f = d[j];
    const double* column = (order(j) != 0 ? plan->through : plan->end).data() + j * sys.nx;
    for (Index i = 0; i < sys.nx; ++i) b.x[i] += column[i] * change_of_f;
    b.f[j] = a.f[j] + change_of_f;
  }
}

// (1 - gamma span J) k1 = f(t, x) + gamma span f_t,
// (1 - gamma span J) k2 = f(t + span, x + span k1) - 2 k1 - gamma span f_t,   x + span (3/2 k1 + 1/2 k2)
void RealTime::implicit_step() noexcept {
  const Regime& r = *plan->regime;
  const double t = time() + at;
  const Index n = sys.nx;
  const Map xa(a.x, n);
  Map xb(b.x, n);
  sdot.setZero();
  for (Index j = 0; j < moving.signals.size(); ++j) sdot(moving.signals[j]) = a.change[j] / h;
  for (Index j = 0; j < moving.size(); ++j) b.s[j] = a.s[j] + (span / h) * a.change[j];
  f0.setZero();
  f1.setZero();
  evaluate(sys, r, t, a.x, all(a), f0.data(), force.data(), w);
  if (sys.smooth || contacts)
    difference(t);
  else
    jacobian(sys, r, t, a.x, full.data(), sdot.data(), J, dfdt, w);
  W = -ros2 * span * J;
  W.diagonal().array() += 1.0;
  bool solved = lu_factor(W.data(), n, order.data());
  if (solved) {
    k2 = f0 + ros2 * span * dfdt;
    lu_solve(W.data(), n, order.data(), k2.data(), k1.data());
    xb = xa + span * k1;
    evaluate(sys, r, t + span, b.x, all(b), f1.data(), force.data(), w);
    f1 -= 2.0 * k1 + ros2 * span * dfdt;
    lu_solve(W.data(), n, order.data(), f1.data(), k2.data());
    xb = xa + span * (1.5 * k1 + 0.5 * k2);
    solved = finite(b.x, n);
  }
  if (!solved) { // a vertical tangent at v = 0 has no Jacobian; the force is finite (Heun's method)
    xb = xa + span * f0;
    f1.setZero();
    evaluate(sys, r, t + span, b.x, all(b), f1.data(), force.data(), w);
    xb = xa + 0.5 * span * (f0 + f1);
  }
}

// J and df/dt by differences from f0: the order of the method does not depend on their accuracy.
void RealTime::difference(double t) noexcept {
  constexpr double share = 1.5e-8; // relative to a state's size: half of its digits
  const Regime& r = *plan->regime;
  const Index n = sys.nx;
  const Map xa(a.x, n);
  k1 = xa;
  for (Index i = 0; i < n; ++i) {
    k1(i) += share * std::max(std::abs(a.x[i]), sys.nominal(i));
    const double change = k1(i) - a.x[i];
    f1.setZero();
    evaluate(sys, r, t, k1.data(), full.data(), f1.data(), force.data(), w);
    J.col(i) = (f1 - f0) / change;
    k1(i) = a.x[i];
  }
  f1.setZero();
  evaluate(sys, r, t + span, a.x, all(b), f1.data(), force.data(), w);
  dfdt = (f1 - f0) / span;
}

void RealTime::rates(const Point& p, double tau, double* out) noexcept {
  if (plan->quick) {
    plan->rate(p.x, out);
    return;
  }
  std::fill_n(out, sys.nx, 0.0);
  evaluate(sys, *plan->regime, time() + at + tau, p.x, all(p), out, force.data(), w);
}

void RealTime::find_rate() noexcept {
  if (!have_rate) rates(b, span, rate.data());
  have_rate = true;
}

// On the parabola through both ends of the base with the rate at its end, which contains no fast transients. Its error
// is of third order in the step.
RealTime::Point& RealTime::point_at(double tau) noexcept {
  if (tau == span) return b;
  if (!plan->halves.empty()) return exact_point_at(tau);
  find_rate();
  const double back = tau / span - 1.0, linear = (back + back * back) * span, square = back * back;
  for (Index i = 0; i < sys.nx; ++i) e.x[i] = b.x[i] + linear * rate(i) + square * (a.x[i] - b.x[i]);
  for (Index j = 0; j < moving.size(); ++j) e.s[j] = a.s[j] + (tau / h) * a.change[j];
  for (Index j = 0; j < plan->curved.size(); ++j) e.f[j] = a.f[j] + (tau / span) * (b.f[j] - a.f[j]);
  return e;
}

// By the exact flow over the halves whose sum is tau.
RealTime::Point& RealTime::exact_point_at(double tau) noexcept {
  const Index nv = moving.size();
  std::copy_n(a.change, 2 * nv + sys.nx, e.change);
  double share = 1.0, rest = tau / h;
  for (const SmallMap& half : plan->halves) {
    share *= 0.5;
    if (rest < share) continue;
    rest -= share;
    half(e.change, slopes.data());
    std::copy_n(slopes.data(), sys.nx, e.x);
    for (Index j = 0; j < nv; ++j) e.s[j] += share * e.change[j];
  }
  // The remainder of the time to second order, so that even the shortest flight returns.
  double *const first = slopes.data(), *const last = first + sys.nx + 2;
  plan->rate(e.x, first);
  for (Index i = 0; i < sys.nx; ++i) e.x[i] += rest * h * first[i];
  for (Index j = 0; j < nv; ++j) e.s[j] = a.s[j] + (tau / h) * a.change[j];
  plan->rate(e.x, last);
  for (Index i = 0; i < sys.nx; ++i) e.x[i] += 0.5 * rest * h * (last[i] - first[i]);
  return e;
}

void RealTime::guards_at(const Point& p, double tau, double* g) noexcept {
  if (!plan->short_guards.empty()) {
    for (const SparseRow& row : plan->short_guards) *g++ = row(p.x);
    return;
  }
  if (plan->quick) {
    plan->guards(p.x, g);
    for (const RealTimePlan::Ageing& one : plan->ageing) {
      const double share = aged_share(sys.friction[one.element], time() + at + tau, p.x);
      g[one.guard] -= (1.0 - share) * one.level * one.load(p.x);
    }
    return;
  }
  const Regime& r = *plan->regime;
  if (r.guards.empty()) return;
  f1.setZero();
  evaluate(sys, r, time() + at + tau, p.x, all(p), f1.data(), force.data(), w);
  guard_values(sys, r, time() + at + tau, p.x, full.data(), force.data(), g, w);
}

double RealTime::guard_at(Index which, const Point& p, double tau) const noexcept {
  if (!plan->short_guards.empty()) return plan->short_guards[which](p.x);
  double g = plan->guards.row(which, p.x);
  for (const RealTimePlan::Ageing& one : plan->ageing)
    if (one.guard == which)
      g -= (1.0 - aged_share(sys.friction[one.element], time() + at + tau, p.x)) * one.level * one.load(p.x);
  return g;
}

// Instant at which a guard fires that is negative at `at` and positive at `stop`: on a parabola through both, with its
// slope at the end of the base (or its value in the middle), which is exact for linear guards.
double RealTime::locate(Index which, double stop) noexcept {
  double g0 = std::min(ga[which], 0.0), square = 0.0; // of tau / stop
  const double g1 = gb[which];
  if (!plan->halves.empty()) { // with its slope at `at`: a short rebound takes a small part of the step
    if (-g0 <= plan->rounding(which, a.x))
      g0 = 0.0; // rebounds begin at the wall: else their flights would not get shorter
    plan->rate(a.x, slopes.data());
    for (Index j = 0; j < moving.size(); ++j) slopes(sys.nx + j) = a.change[j] / h;
    square = g1 - g0 - plan->guards.linear_row(which, slopes.data()) * stop;
  } else if (plan->quick) {
    find_rate();
    for (Index j = 0; j < moving.size(); ++j) rate(sys.nx + j) = a.change[j] / h;
    for (Index j = 0; j < plan->curved.size(); ++j)
      rate(sys.nx + moving.size() + j) = (b.f[j] - a.f[j]) / span;
    const double slope = plan->short_guards.empty() ? plan->guards.linear_row(which, rate.data())
                                                    : plan->short_guards[which].linear(rate.data());
    square = (g1 - g0 - slope * stop) / (stop - 2.0 * span) * stop;
  } else {
    guards_at(point_at(0.5 * stop), 0.5 * stop, ge.data());
    square = 2.0 * (g0 - 2.0 * ge[which] + g1);
  }
  const double slope = g1 - g0 - square, inside = slope * slope - 4.0 * square * g0;
  const double root = inside >= 0.0 ? std::sqrt(inside) : -1.0;
  const double theta = root < 0.0    ? 2.0
                       : slope > 0.0 ? -2.0 * g0 / (slope + root)
                                     : (root - slope) / (2.0 * square); // it decreases first
  const double tau = stop * (theta >= 0.0 && theta <= 1.0 ? theta : g0 / (g0 - g1));
  return plan->halves.empty() ? tau : refine(which, tau, stop, (slope + 2.0 * square * tau / stop) / stop);
}

// Newton's method with the slope of the parabola at its root, until what is left is rounding.
double RealTime::refine(Index which, double tau, double stop, double slope) noexcept {
  constexpr int most_rounds = 3; // each gains about three digits
  for (int round = 0; round < most_rounds && slope > 0.0 && tau > 0.0 && tau < stop; ++round) {
    const Point& p = exact_point_at(tau);
    const double residual = guard_at(which, p, tau);
    if (std::abs(residual) <= plan->rounding(which, p.x)) break;
    tau = std::clamp(tau - residual / slope, 0.0, stop);
  }
  return tau;
}

// Elements that hold at a, in a nonlinear machine with the rows at that point.
void RealTime::meet_what_holds() noexcept {
  if (!sys.smooth) return meet_surfaces(a);
  if (sys.constraints.any()) {
    Vector x = Map(a.x, sys.nx);
    w.tangent(sys).project(time() + at, x, now);
    std::copy_n(x.data(), sys.nx, a.x);
  } else if (!plan->regime->sticking.empty()) {
    const double* const s = here();
    w.tangent(sys).rest(now, s, a.x);
  }
}

// Sets held elements to the velocity of their surface, and closed contacts to zero gap.
void RealTime::meet_surfaces(Point& p) noexcept {
  plan->gaps(p.x, rhs.data());
  plan->held(p.x, rhs.data());
}

} // namespace stickslip
