#include "simulate/real_time.hpp"

#include "core/error.hpp"
#include "simulate/automaton_states.hpp"
#include "simulate/simulate.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

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
  if (x0.size() != sys.nx)
    reject("initial",
           "has " + std::to_string(x0.size()) + " values for " + std::to_string(sys.nx) + " states");
  if (most < 1) reject("max_transitions", most, ">= 1");
  if (sys.needs_interpreter)
    reject(
        "machine",
        "has a law that is a Python function, which no real-time step can wait for: sample it into a Table");
  if (!sys.contacts.empty())
    reject("machine",
           "has contacts, whose impacts are not of bounded work: the fixed-step form does not run them");
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
  Transition(sys, cache).decide(first, {}, true, log);
  x = first.base_x;
  now = first.modes;
  build_all();
  for (const auto& [modes, each] : plans)
    guards = std::max(guards, static_cast<Index>(each.regime->guards.size()));
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
  if (ga.size() < guards && ga.size() > 0)
    ga.conservativeResize(guards), gb.conservativeResize(guards), ge.conservativeResize(guards);
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

// Signals at both ends of the step. One that jumps keeps its piece to the end of the step and jumps between
// two steps.
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
    if (!(std::abs(jump) > velocity_tolerance(static_cast<Index>(i)) + 1e-13 * std::abs(s0(p.surface))) ||
        !p.traits.sticks)
      continue;
    const double v = relative_velocity(p, x.data(), s0.data());
    const int was = now.place[i];
    if (std::abs(v) <= velocity_tolerance(static_cast<Index>(i)) || (was == 0 && p.surface_travel >= 0))
      continue;
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
    case Kind::force:
      out[k] = force(o.index);
      break;
    case Kind::velocity:
      out[k] = stuck && p.surface_travel < 0 ? 0.0 : v;
      break;
    case Kind::load:
      out[k] = normal_load(p, now.load_sign[i], x.data(), s1.data());
      break;
    case Kind::mode:
      out[k] = p.traits.sticks ? now.place[i] : v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
      break;
    default: {
      const Interval limits = stick_limits(sys, p, now.load_sign[i], time(), x.data(), s1.data(), nullptr);
      out[k] = !stuck                 ? std::numeric_limits<double>::quiet_NaN()
               : force(o.index) < 0.0 ? limits.lo
                                      : limits.hi;
    }
    }
  }
}

} // namespace stickslip
