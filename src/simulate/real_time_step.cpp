// One step of the fixed-step form.
#include "simulate/real_time.hpp"

#include "core/small_lu.hpp"
#include "simulate/automaton_states.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double gamma = 0.29289321881345247560; // 1 - 1/sqrt(2)

} // namespace

void RealTime::step(const double* values) noexcept {
  late = false;
  if (failed) {
    ++ticks;
    return;
  }
  sample(values);
  follow_jumps();
  at = 0.0;
  left = h;
  xa = x;
  for (int count = 0;; ++count) {
    advance();
    const Regime& r = *plan->regime;
    const std::size_t ng = r.guards.size();
    state_at(left);
    if (!xe.allFinite()) {
      failed = true;
      ++ticks;
      return;
    }
    double first = 2.0;
    std::size_t which = 0;
    if (ng > 0) {
      guards_at(at, xa, sa, ga);
      guards_at(at + left, xe, se, gb);
      for (std::size_t k = 0; k < ng; ++k) {
        const auto i = static_cast<Index>(k);
        if (!(gb(i) > tolerance(r.guards[k]))) continue;
        const double theta = ga(i) < 0.0 ? ga(i) / (ga(i) - gb(i)) : 0.0;
        if (theta < first) first = theta, which = k;
      }
    }
    if (first > 1.0) break;
    if (count == most) {
      late = true;
      ++left_over;
      break;
    }
    const double tau = first > 0.0 ? locate(which) : 0.0;
    if (tau <= 0.0) xe = xa, se = sa;
    xa = xe;
    at += tau;
    left -= tau;
    guards_at(at, xa, se, ge);
    ge(static_cast<Index>(which)) =
        std::max(ge(static_cast<Index>(which)), 1e-300); // it fired, whatever rounding says
    change();
    ++transitions;
    xe = xa;
    if (left <= 1e-9 * h) break;
  }
  x = xe;
  meet_surfaces(s1);
  last_end = s1;
  ++ticks;
}

// The base of this part of the step: from xa at `at` over `span`, at least to the end of the step.
void RealTime::advance() noexcept {
  const Regime& r = *plan->regime;
  signals_at(at, sa);
  have_rate = false;
  if (!r.affine) {
    span = left;
    implicit_step();
    return;
  }
  span = h;
  const HeldMap& m = plan->map;
  xb.noalias() = m.F * xa;
  xb.noalias() += m.G0 * sa;
  xb.noalias() += m.G1 * ds;
}

// (1 - gamma span J) k1 = f(t, x) + gamma span f_t,
// (1 - gamma span J) k2 = f(t + span, x + span k1) - 2 k1 - gamma span f_t,   x + span (3/2 k1 + 1/2 k2)
void RealTime::implicit_step() noexcept {
  const Regime& r = *plan->regime;
  const double t = time() + at;
  const Index n = sys.nx;
  f0.setZero();
  f1.setZero();
  evaluate(sys, r, t, xa.data(), sa.data(), f0.data(), force.data(), w);
  sdot = ds / h;
  jacobian(sys, r, t, xa.data(), sa.data(), sdot.data(), J, dfdt, w);
  W = -gamma * span * J;
  W.diagonal().array() += 1.0;
  signals_at(at + span, se);
  bool solved = lu_factor(W.data(), n, order.data());
  if (solved) {
    k2 = f0 + gamma * span * dfdt;
    lu_solve(W.data(), n, order.data(), k2.data(), k1.data());
    xb = xa + span * k1;
    evaluate(sys, r, t + span, xb.data(), se.data(), f1.data(), force.data(), w);
    f1 -= 2.0 * k1 + gamma * span * dfdt;
    lu_solve(W.data(), n, order.data(), f1.data(), k2.data());
    xb = xa + span * (1.5 * k1 + 0.5 * k2);
    solved = xb.allFinite();
  }
  if (!solved) { // a vertical tangent at v = 0 has no Jacobian; the force itself is finite (Heun)
    xb = xa + span * f0;
    f1.setZero();
    evaluate(sys, r, t + span, xb.data(), se.data(), f1.data(), force.data(), w);
    xb = xa + 0.5 * span * (f0 + f1);
  }
}

// On the parabola through both ends of the base with the rate at its far end, which unlike that at its near
// end knows no fast transients. Its error is of third order in the step.
void RealTime::state_at(double tau) noexcept {
  signals_at(at + tau, se);
  if (tau == span) {
    xe = xb;
    return;
  }
  if (!have_rate) {
    have_rate = true;
    const Regime& r = *plan->regime;
    signals_at(at + span, sdot);
    rate.setZero();
    if (r.affine) {
      rate.noalias() = r.Ax * xb;
      rate.noalias() += r.As * sdot;
    } else {
      evaluate(sys, r, time() + at + span, xb.data(), sdot.data(), rate.data(), force.data(), w);
    }
  }
  const double back = tau / span - 1.0;
  xe = xb + (back * span) * rate + (back * back) * (xa - xb + span * rate);
}

void RealTime::guards_at(double tau, const Vector& state, const Vector& s, Vector& g) noexcept {
  const Regime& r = *plan->regime;
  const Index ng = static_cast<Index>(r.guards.size());
  if (ng == 0) return;
  if (r.affine) {
    g.head(ng).noalias() = r.Gx * state;
    g.head(ng).noalias() += r.Gs * s;
    return;
  }
  f1.setZero();
  evaluate(sys, r, time() + tau, state.data(), s.data(), f1.data(), force.data(), w);
  guard_values(sys, r, time() + tau, state.data(), s.data(), force.data(), g.data());
}

double RealTime::tolerance(const Guard& g) const noexcept {
  switch (g.kind) {
  case GuardKind::slip_ends:
  case GuardKind::kink:
  case GuardKind::surface_turns:
    return velocity_tolerance(g.element);
  case GuardKind::breaks_away:
  case GuardKind::limit_again:
    return force_tolerance(g.element);
  case GuardKind::shared_limit:
    return force_tolerance.sum();
  default:
    return 0.0;
  }
}

// Where a guard that is negative at `at` and positive at the end fires: a few rounds of the Illinois rule,
// and of the two ends that are left the later one, at which it has fired.
double RealTime::locate(std::size_t which) noexcept {
  const auto k = static_cast<Index>(which);
  double a = 0.0, b = left, fa = ga(k), fb = gb(k);
  for (int round = 0; round < 4 && b - a > 1e-6 * h; ++round) {
    const double c = a + (b - a) * std::clamp(fa / (fa - fb), 0.02, 0.98);
    state_at(c);
    guards_at(at + c, xe, se, ge);
    if (ge(k) > 0.0)
      b = c, fb = ge(k), fa *= 0.5;
    else
      a = c, fa = ge(k), fb *= 0.5;
  }
  state_at(b);
  return b;
}

// Everything that has fired at this instant, and what follows from it without any time passing.
void RealTime::change() noexcept {
  const double t = time() + at;
  const Regime& r = *plan->regime;
  bool stops = false;
  for (std::size_t k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (!(ge(static_cast<Index>(k)) > 0.0)) continue;
    const auto i = static_cast<std::size_t>(g.element);
    switch (g.kind) {
    case GuardKind::slip_ends: {
      const Place& p = sys.places[i];
      const int was = now.place[i];
      const double N = normal_load(p, now.load_sign[i], xa.data(), se.data());
      if (p.surface_travel < 0)
        start_clock(p, was, N, t, xa.data()), stops = true;
      else
        change_mode(p, was, 0, 0.0, N, t, xa.data());
      now.place[i] = 0;
      now.branch[i] = initial_branch(p.law);
      came_from(g.element) = was; // whence it came
      break;
    }
    case GuardKind::breaks_away:
      if (sys.places[i].surface_travel < 0 || moves_towards(i, g.side))
        release(i, g.side);
      else
        now.branch[i] = over_limit(g.side);
      break;
    case GuardKind::surface_turns:
      release(i, g.side);
      break;
    case GuardKind::limit_again:
      now.branch[i] = 0;
      break;
    case GuardKind::shared_limit: {
      const Facet& f = r.facets[i];
      for (std::size_t j = 0; j < f.members.size(); ++j)
        release(static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(f.members[j])]),
                f.share(static_cast<Index>(j)) * g.side > 0.0 ? 1 : -1);
      break;
    }
    case GuardKind::kink:
      now.place[i] = static_cast<std::int8_t>(-now.place[i]);
      now.branch[i] = initial_branch(sys.places[i].law);
      break;
    case GuardKind::load_sign:
      now.load_sign[i] = static_cast<std::int8_t>(-now.load_sign[i]);
      break;
    case GuardKind::branch:
      now.branch[i] = switch_branch(sys.places[i].law, now.branch[i], g.side);
      break;
    case GuardKind::opens:
    case GuardKind::closes:
      break; // there are no contacts here
    case GuardKind::limit:
      break; // and no controllers yet
    }
  }
  plan = &plan_of(now);
  if (stops) {
    x = xa;
    meet_surfaces(se);
    xa = x;
  }
  // What the new forces ask of places that hold: at most every place lets go once.
  for (std::size_t round = 0; round <= sys.places.size(); ++round) {
    const Regime& next = *plan->regime;
    guards_at(at, xa, se, ge);
    bool lets_go = false;
    for (std::size_t k = 0; k < next.guards.size(); ++k) {
      const Guard& g = next.guards[k];
      if (!(ge(static_cast<Index>(k)) > tolerance(g))) continue;
      if (g.kind == GuardKind::breaks_away &&
          sys.places[static_cast<std::size_t>(g.element)].surface_travel < 0) {
        release(static_cast<std::size_t>(g.element), g.side);
        lets_go = true;
      } else if (g.kind == GuardKind::shared_limit) {
        const Facet& f = next.facets[static_cast<std::size_t>(g.element)];
        for (std::size_t j = 0; j < f.members.size(); ++j)
          release(static_cast<std::size_t>(next.stuck[static_cast<std::size_t>(f.members[j])]),
                  f.share(static_cast<Index>(j)) * g.side > 0.0 ? 1 : -1);
        lets_go = true;
      }
    }
    if (!lets_go) break;
    plan = &plan_of(now);
  }
  came_from.setZero();
}

// A stuck place slides from here on. One that came to rest at this same instant only turns round and keeps
// its force.
void RealTime::release(std::size_t i, int side) noexcept {
  if (now.place[i] != 0) return;
  const Place& p = sys.places[i];
  if (came_from(static_cast<Index>(i)) == 0.0)
    change_mode(p, 0, side, relative_velocity(p, xa.data(), se.data()),
                normal_load(p, now.load_sign[i], xa.data(), se.data()), time() + at, xa.data());
  now.place[i] = static_cast<std::int8_t>(side);
  now.branch[i] = initial_branch(p.law);
}

bool RealTime::moves_towards(std::size_t i, int side) noexcept {
  const Place& p = sys.places[i];
  const double v = relative_velocity(p, xa.data(), se.data());
  if (std::abs(v) > velocity_tolerance(static_cast<Index>(i))) return v * side > 0.0;
  f1.setZero();
  evaluate(sys, *plan->regime, time() + at, xa.data(), se.data(), f1.data(), force.data(), w);
  return (p.velocity.x.dot(f1) + p.acceleration_s.dot(se)) * side >= 0.0;
}

// Held places have exactly the velocity of their surface.
void RealTime::meet_surfaces(const Vector& s) noexcept {
  const std::vector<Index>& held = plan->regime->stuck;
  for (std::size_t k = 0; k < held.size(); ++k) {
    const double v = relative_velocity(sys.places[static_cast<std::size_t>(held[k])], x.data(), s.data());
    k1(static_cast<Index>(k)) = v;
  }
  if (!held.empty()) x.noalias() += plan->to_surface * k1.head(static_cast<Index>(held.size()));
}

} // namespace stickslip
