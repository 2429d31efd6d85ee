#include "simulate/real_time.hpp"

#include "core/error.hpp"
#include "core/small_lu.hpp"
#include "simulate/automaton_states.hpp"
#include "simulate/place_force.hpp"
#include "simulate/simulate.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double gamma = 0.29289321881345247560; // 1 - 1/sqrt(2)

// The piece of a signal that holds at the start of a step, continued to t.
double continued(const Signal& s, std::size_t piece, double t) {
  if (s.pieces.empty()) return 0.0;
  const Piece& p = s.pieces[piece];
  const double tau = t - p.anchor;
  double sum = 0.0;
  for (std::size_t k = p.c.size(); k-- > 0;) sum = sum * tau + p.c[k];
  for (const Harmonic& h : p.harmonics) sum += h.amplitude * std::sin(h.omega * t + h.phase);
  return sum;
}

bool has_jumps(const Signal& s) {
  for (std::size_t k = 1; k < s.pieces.size(); ++k) {
    const double t = s.pieces[k].start, before = continued(s, k - 1, t), after = continued(s, k, t);
    if (std::abs(after - before) > 1e-9 * std::max(std::abs(after), std::abs(before))) return true;
  }
  return false;
}

} // namespace

RealTime::RealTime(const System& system, double step, const Vector& x0, double start, int max_transitions)
    : sys(system), h(positive("step", step)), t0(finite("t_start", start)), most(max_transitions), w(system) {
  if (x0.size() != sys.nx) reject("initial", "has " + std::to_string(x0.size()) + " values for " + std::to_string(sys.nx) + " states");
  if (most < 1) reject("max_transitions", most, ">= 1");
  if (sys.needs_interpreter) reject("machine", "has a law that is a Python function, which no real-time step can wait for: sample it into a Table");
  if (!sys.contacts.empty())
    reject("machine", "has contacts, whose impacts are not of bounded work: the fixed-step form does not run them");
  if (!sys.loops.empty()) reject("machine", "has controllers, which the fixed-step form does not run yet");
  const Index nx = sys.nx, ns = sys.ns(), np = static_cast<Index>(sys.places.size());
  s0 = s1 = ds = last_end = sa = se = sdot = Vector::Zero(ns);
  for (Index i = 0; i < ns; ++i) {
    const Signal& s = sys.signals[static_cast<std::size_t>(i)];
    jumps.push_back(has_jumps(s));
    s0(i) = s1(i) = value(s, t0);
    if (!is_constant(s)) varying.push_back(i);
    input_of.push_back(-1);
    if (s.input.empty()) continue;
    const auto known = std::find(input_names.begin(), input_names.end(), s.input);
    input_of.back() = known - input_names.begin();
    if (known != input_names.end()) continue;
    input_names.push_back(s.input);
    input.conservativeResize(input.size() + 1);
    input(input.size() - 1) = s.input_default;
  }
  last_end = s0;
  xa = xb = rate = xe = f0 = f1 = k1 = k2 = dfdt = Vector::Zero(nx);
  J = W = Matrix::Zero(nx, nx);
  order.resize(nx);
  force = came_from = velocity_tolerance = force_tolerance = Vector::Zero(np);
  Index guards = 1; // most that a combination of modes can have
  for (Index i = 0; i < np; ++i) {
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    velocity_tolerance(i) = 1e-12 * p.velocity.x.cwiseAbs().dot(sys.nominal.cwiseMax(x0.cwiseAbs()));
    force_tolerance(i) = 1e-12 * p.break_away * std::abs(s0(p.load));
    guards += 4 + p.traits.switches;
  }
  // The choice of modes at the start is that of every run.
  State first = initial_state(sys, t0, x0);
  TransitionLog log;
  transition(sys, cache, first, {}, true, log);
  x = first.base_x;
  now = first.modes;
  build_all();
  for (const auto& [modes, each] : plans) guards = std::max(guards, static_cast<Index>(each.regime->guards.size()));
  ga = gb = ge = Vector::Zero(guards);
  plan = &plan_of(now);
}

const RealTime::Plan& RealTime::plan_of(const Modes& modes) {
  const auto known = plans.find(modes);
  if (known != plans.end()) return known->second;
  Plan made;
  const Regime& r = cache.get(sys, modes);
  made.regime = &r;
  if (r.affine) made.map = held_map(r.Ax, r.As, h);
  const Index m = static_cast<Index>(r.stuck.size());
  if (m > 0) { // as in a transition: velocities to zero with the least change of kinetic energy
    Matrix G(m, m), U(sys.nx, m);
    for (Index k = 0; k < m; ++k) {
      U.col(k) = sys.places[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(k)])].effect;
      for (Index l = 0; l < m; ++l)
        G(k, l) = -sys.places[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(k)])].velocity.x.dot(
            sys.places[static_cast<std::size_t>(r.stuck[static_cast<std::size_t>(l)])].effect);
    }
    made.to_surface = U * Matrix(G.completeOrthogonalDecomposition().pseudoInverse());
  }
  const Index guards = static_cast<Index>(r.guards.size());
  if (ga.size() < guards && ga.size() > 0) ga.conservativeResize(guards), gb.conservativeResize(guards), ge.conservativeResize(guards);
  return plans.emplace(modes, std::move(made)).first->second;
}

// Every combination of modes that the machine can come to, in the manner of an odometer.
void RealTime::build_all() {
  struct Wheel {
    std::vector<std::pair<std::int8_t, unsigned>> place; // mode and branch
    std::vector<std::int8_t> load;
  };
  std::vector<Wheel> wheels;
  std::size_t count = 1;
  complete = true;
  for (std::size_t i = 0; i < sys.places.size(); ++i) {
    const Place& p = sys.places[i];
    Wheel wheel;
    const unsigned branch = initial_branch(p.law);
    wheel.place = {{std::int8_t{1}, branch}, {std::int8_t{-1}, branch}};
    if (p.traits.sticks) wheel.place.emplace_back(std::int8_t{0}, branch);
    if (p.surface_travel >= 0)
      for (int side : {1, -1}) wheel.place.emplace_back(std::int8_t{0}, over_limit(side));
    wheel.load = {std::int8_t{1}};
    if (p.load_per_force != 0.0) wheel.load.push_back(std::int8_t{-1});
    complete = complete && p.traits.switches == 0;
    count *= wheel.place.size() * wheel.load.size();
    if (count > prebuilt_limit) complete = false, count = prebuilt_limit + 1;
    wheels.push_back(std::move(wheel));
  }
  if (!complete) return;
  Modes modes = now;
  for (std::size_t number = 0; number < count; ++number) {
    std::size_t rest = number;
    for (std::size_t i = 0; i < wheels.size(); ++i) {
      const Wheel& wheel = wheels[i];
      std::tie(modes.place[i], modes.branch[i]) = wheel.place[rest % wheel.place.size()];
      rest /= wheel.place.size();
      modes.load_sign[i] = wheel.load[rest % wheel.load.size()];
      rest /= wheel.load.size();
    }
    plan_of(modes);
  }
}

// Signals at both ends of the step. One that jumps keeps its piece to the end of the step and jumps between two steps.
void RealTime::sample(const double* values) noexcept {
  const double t = time(), end = t0 + static_cast<double>(ticks + 1) * h;
  for (Index k = 0; k < input.size(); ++k) input(k) = values[k];
  for (Index i : varying) {
    const auto u = static_cast<std::size_t>(i);
    const Signal& s = sys.signals[u];
    const std::size_t piece = piece_at(s, t + 1e-9 * h);
    s0(i) = continued(s, piece, t);
    const bool whole = jumps[u] || piece + 1 >= s.pieces.size() || s.pieces[piece + 1].start > end - 1e-9 * h;
    s1(i) = whole ? continued(s, piece, end) : value(s, end);
  }
  for (Index i = 0; i < sys.ns(); ++i) {
    const auto u = static_cast<std::size_t>(i);
    if (input_of[u] < 0) continue;
    const Signal& s = sys.signals[u];
    const bool moves = std::find(varying.begin(), varying.end(), i) != varying.end();
    const double more = input_correction(s, input(input_of[u]));
    s0(i) = (moves ? s0(i) : continued(s, 0, t)) + more;
    s1(i) = (moves ? s1(i) : continued(s, 0, end)) + more;
  }
  ds = s1 - s0;
}

// A surface whose velocity jumps takes nothing along.
void RealTime::follow_jumps() noexcept {
  bool changed = false;
  for (std::size_t i = 0; i < sys.places.size(); ++i) {
    const Place& p = sys.places[i];
    const double jump = s0(p.surface) - last_end(p.surface);
    if (!(std::abs(jump) > velocity_tolerance(static_cast<Index>(i)) + 1e-13 * std::abs(s0(p.surface))) || !p.traits.sticks) continue;
    const double v = relative_velocity(p, x.data(), s0.data());
    const int was = now.place[i];
    if (std::abs(v) <= velocity_tolerance(static_cast<Index>(i)) || (was == 0 && p.surface_travel >= 0)) continue;
    const int is = v > 0.0 ? 1 : -1;
    if (was == is) continue;
    now.place[i] = static_cast<std::int8_t>(is);
    changed = true;
    change_mode(p, was, is, v, normal_load(p, now.load_sign[i], x.data(), s0.data()), time(), x.data());
  }
  if (changed) {
    plan = &plan_of(now);
    ++transitions;
  }
}

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
    ge(static_cast<Index>(which)) = std::max(ge(static_cast<Index>(which)), 1e-300); // it fired, whatever rounding says
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

// On the parabola through both ends of the base with the rate at its far end, which unlike that at its near end knows no
// fast transients. Its error is of third order in the step.
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
  case GuardKind::surface_turns: return velocity_tolerance(g.element);
  case GuardKind::breaks_away:
  case GuardKind::limit_again: return force_tolerance(g.element);
  case GuardKind::shared_limit: return force_tolerance.sum();
  default: return 0.0;
  }
}

// Where a guard that is negative at `at` and positive at the end fires: a few rounds of the Illinois rule, and of the
// two ends that are left the later one, at which it has fired.
double RealTime::locate(std::size_t which) noexcept {
  const auto k = static_cast<Index>(which);
  double a = 0.0, b = left, fa = ga(k), fb = gb(k);
  for (int round = 0; round < 4 && b - a > 1e-6 * h; ++round) {
    const double c = a + (b - a) * std::clamp(fa / (fa - fb), 0.02, 0.98);
    state_at(c);
    guards_at(at + c, xe, se, ge);
    if (ge(k) > 0.0) b = c, fb = ge(k), fa *= 0.5;
    else a = c, fa = ge(k), fb *= 0.5;
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
      if (p.surface_travel < 0) start_clock(p, was, N, t, xa.data()), stops = true;
      else change_mode(p, was, 0, 0.0, N, t, xa.data());
      now.place[i] = 0;
      now.branch[i] = initial_branch(p.law);
      came_from(g.element) = was; // whence it came
      break;
    }
    case GuardKind::breaks_away:
      if (sys.places[i].surface_travel < 0 || moves_towards(i, g.side)) release(i, g.side);
      else now.branch[i] = over_limit(g.side);
      break;
    case GuardKind::surface_turns: release(i, g.side); break;
    case GuardKind::limit_again: now.branch[i] = 0; break;
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
    case GuardKind::load_sign: now.load_sign[i] = static_cast<std::int8_t>(-now.load_sign[i]); break;
    case GuardKind::branch: now.branch[i] = switch_branch(sys.places[i].law, now.branch[i], g.side); break;
    case GuardKind::opens:
    case GuardKind::closes: break; // there are no contacts here
    case GuardKind::limit: break;  // and no controllers yet
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
      if (g.kind == GuardKind::breaks_away && sys.places[static_cast<std::size_t>(g.element)].surface_travel < 0) {
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

// A stuck place slides from here on. One that came to rest at this same instant only turns round and keeps its force.
void RealTime::release(std::size_t i, int side) noexcept {
  if (now.place[i] != 0) return;
  const Place& p = sys.places[i];
  if (came_from(static_cast<Index>(i)) == 0.0)
    change_mode(p, 0, side, relative_velocity(p, xa.data(), se.data()), normal_load(p, now.load_sign[i], xa.data(), se.data()),
                time() + at, xa.data());
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

void RealTime::read(const RealTimeOutput* what, Index count, double* out) noexcept {
  using Kind = RealTimeOutput::Kind;
  bool evaluated = false;
  for (Index k = 0; k < count; ++k) {
    const RealTimeOutput& o = what[k];
    if (o.kind == Kind::state) {
      out[k] = x(o.index);
      continue;
    }
    if (!evaluated) {
      f1.setZero();
      evaluate(sys, *plan->regime, time(), x.data(), s1.data(), f1.data(), force.data(), w);
      evaluated = true;
    }
    if (o.kind == Kind::rate) {
      out[k] = f1(o.index);
      continue;
    }
    const auto i = static_cast<std::size_t>(o.index);
    const Place& p = sys.places[i];
    const double v = relative_velocity(p, x.data(), s1.data());
    const bool stuck = p.traits.sticks && now.place[i] == 0;
    switch (o.kind) {
    case Kind::force: out[k] = force(o.index); break;
    case Kind::velocity: out[k] = stuck && p.surface_travel < 0 ? 0.0 : v; break;
    case Kind::load: out[k] = normal_load(p, now.load_sign[i], x.data(), s1.data()); break;
    case Kind::mode: out[k] = p.traits.sticks ? now.place[i] : v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0; break;
    default: {
      const Interval limits = stick_limits(p, now.load_sign[i], time(), x.data(), s1.data());
      out[k] = !stuck ? std::numeric_limits<double>::quiet_NaN() : force(o.index) < 0.0 ? limits.lo : limits.hi;
    }
    }
  }
}

} // namespace stickslip
