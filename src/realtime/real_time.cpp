#include "realtime/real_time.hpp"

#include "core/error.hpp"
#include "run/simulate.hpp"
#include "transition/automaton_states.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// The piece of a signal that holds at the start of a step, continued to t.
double continued(const Signal& s, std::size_t piece, double t) {
  if (s.pieces.empty()) return 0.0;
  return value(s.pieces[piece], t);
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
  for (const Loop& l : sys.loops)
    if (l.block.program)
      reject("machine",
             "has the controller '" + l.name +
                 "', which is a Python function: no real-time step can wait for it; run it between "
                 "steps and give its output as an Input");
  if (sys.needs_interpreter)
    reject(
        "machine",
        "has a law that is a Python function, which no real-time step can wait for: sample it into a Table");
  if (!sys.contacts.empty())
    reject("machine",
           "has contacts, whose impacts are not of bounded work: the fixed-step form does not run them");
  const Index nx = sys.nx, ns = sys.ns(), np = static_cast<Index>(sys.places.size());
  Vector still(ns);
  for (Index i = 0; i < ns; ++i) {
    const Signal& s = sys.signals[static_cast<std::size_t>(i)];
    still(i) = value(s, t0);
    if (s.input.empty() || std::find(input_names.begin(), input_names.end(), s.input) != input_names.end())
      continue;
    input_names.push_back(s.input);
    input.conservativeResize(input.size() + 1);
    input(input.size() - 1) = s.input_default;
  }
  full = still;
  find_moving(still);
  rate = Vector::Zero(nx + moving.count() + 2 * np + 3);
  f0 = f1 = k1 = k2 = dfdt = Vector::Zero(nx);
  sdot = Vector::Zero(ns);
  J = W = Matrix::Zero(nx, nx);
  order.resize(std::max(nx, 2 * np + 1));
  force = Vector::Zero(np);
  came_from = velocity_tolerance = force_tolerance = Vector::Zero(np);
  for (Index i = 0; i < np; ++i) {
    const Place& p = sys.places[static_cast<std::size_t>(i)];
    velocity_tolerance(i) = 1e-12 * p.velocity.x.cwiseAbs().dot(sys.nominal.cwiseMax(x0.cwiseAbs()));
    force_tolerance(i) = 1e-12 * p.break_away * std::abs(still(p.load));
  }
  lay_out();
  set_up_sampling();
  // The choice of modes at the start is that of every run, after the first instants of sampled controllers.
  State first = initial_state(sys, t0, x0);
  std::copy_n(x0.data(), nx, a.x);
  now = first.modes;
  if (!sampled.empty()) { // what they read depends on no place of friction
    for (std::size_t i = 0; i < sys.places.size(); ++i)
      if (!sys.places[i].traits.sticks) now.friction[i].mode = Mode::slip_forward;
    plan = &built(now);
    control();
  }
  std::copy_n(a.x, nx, first.base_x.data());
  Transition(sys, cache).start(first, false);
  std::copy_n(first.base_x.data(), nx, a.x);
  now = first.modes;
  for (std::size_t i = 0; i < sys.places.size(); ++i) // accumulations of slips are cut short by the step
    if (sys.places[i].surface_travel < 0) now.friction[i].hold = Hold::by_limit;
  build_all();
  plan = &plan_of(now);
}

// A point: changes, x, signals, forces; with room for a row that only fills up a pair.
void RealTime::lay_out() {
  const Index nv = moving.count(), np = static_cast<Index>(sys.places.size()), most_curved = 2 * np + 1;
  for (Point* p : {&a, &b, &e}) {
    p->store.assign(static_cast<std::size_t>(2 * nv + sys.nx + most_curved + 4), 0.0);
    p->change = p->store.data();
    p->x = p->change + nv;
    p->s = p->x + sys.nx;
    p->f = p->s + nv;
    for (Index j = 0; j < nv; ++j) p->s[j] = full(moving.signals[static_cast<std::size_t>(j)]);
  }
  values.resize(static_cast<std::size_t>(most_curved));
  K.resize(static_cast<std::size_t>(most_curved * most_curved));
  d.resize(static_cast<std::size_t>(most_curved));
  rhs.resize(static_cast<std::size_t>(most_curved));
  before = Vector::Zero(nv);
  ga.resize(8);
  gb.resize(8);
  ge.resize(8);
}

// Signals that are not constant, or are inputs, as long as anything sees them.
void RealTime::find_moving(const Vector& still) {
  const Index ns = sys.ns();
  Vector seen = sys.S.cwiseAbs().colwise().sum().transpose();
  for (const System::Drive& one : sys.drives) seen(one.signal) += 1.0; // outputs of the plant may show them
  for (const Place& p : sys.places) {
    seen += p.velocity.s.cwiseAbs();
    if (p.acceleration_s.size() == ns) seen += p.acceleration_s.cwiseAbs();
    if (p.load >= 0) seen(p.load) += 1.0;
    if (p.surface >= 0) seen(p.surface) += 1.0;
    if (p.load_force.s.size() == ns) seen += p.load_force.s.cwiseAbs();
  }
  for (const Loop& l : sys.loops) {
    for (const Input& in : l.inputs) {
      seen += in.fixed.s.cwiseAbs();
      if (in.has_rate && (l.limit >= 0 || !in.outputs.empty())) seen += in.rate.s.cwiseAbs();
    }
    for (const Input* in : {&l.reference, &l.measured})
      if (in->fixed.s.size() == ns) seen += in->fixed.s.cwiseAbs();
  }
  // Rates of outputs that other controllers read.
  bool chained = false;
  for (const Loop& l : sys.loops)
    for (const Input& in : l.inputs) chained = chained || !in.outputs.empty();
  moving.still = still;
  for (Index i = 0; i < ns; ++i) {
    const Signal& s = sys.signals[static_cast<std::size_t>(i)];
    if ((is_constant(s) && s.input.empty()) || (!chained && seen(i) == 0.0)) continue;
    Drive one{i, -1, has_jumps(s), s.pieces.size() < 2 && s.input.empty(), signal_max_degree};
    if (!s.input.empty())
      one.input = std::find(input_names.begin(), input_names.end(), s.input) - input_names.begin();
    if (!s.pieces.empty()) one.degree = degree(s.pieces.front());
    drives.push_back(one);
    moving.signals.push_back(i);
    moving.still(i) = 0.0;
    any_input = any_input || one.input >= 0;
  }
  for (std::size_t i = 0; i < sys.places.size(); ++i)
    if (sys.places[i].traits.sticks && std::find(moving.signals.begin(), moving.signals.end(),
                                                 sys.places[i].surface) != moving.signals.end())
      moving_surfaces.push_back(static_cast<Index>(i));
}

const double* RealTime::all(const Point& p) noexcept {
  for (std::size_t j = 0; j < moving.signals.size(); ++j) full(moving.signals[j]) = p.s[j];
  return full.data();
}

const RealTimePlan& RealTime::built(const Modes& modes) {
  const auto known = plans.find(modes);
  if (known != plans.end()) return *known->second;
  auto made = std::make_unique<RealTimePlan>(
      make_plan(sys, cache.get(sys, modes), moving, h, velocity_tolerance, force_tolerance));
  const std::size_t guards = made->regime->guards.size() + 2;
  if (ga.size() < guards) ga.resize(guards), gb.resize(guards), ge.resize(guards);
  return *plans.emplace(modes, std::move(made)).first->second;
}

const RealTimePlan& RealTime::plan_of(const Modes& modes) {
  if (complete) return *by_number[static_cast<std::size_t>(number_of(modes))];
  return built(modes);
}

std::int64_t RealTime::number_of(const Modes& modes) const noexcept {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < modes.friction.size(); ++i) {
    const FrictionMode& one = modes.friction[i];
    const int side = one.direction();
    const std::int64_t digit = side > 0 ? 0 : side < 0 ? 1 : 2 + static_cast<std::int64_t>(one.hold);
    n += digit * place_stride[i];
    if (one.load_sign < 0) n += load_stride[i];
  }
  for (std::size_t k = 0; k < modes.limit.size(); ++k)
    n += limit_number[k][static_cast<std::size_t>(static_cast<int>(modes.limit[k]) + 3)] * limit_stride[k];
  return n;
}

// Every combination of modes that the machine can come to, in the manner of an odometer.
void RealTime::build_all() {
  std::vector<Wheel> wheels;
  std::int64_t count = 1;
  complete = true;
  const auto turn = [&](std::size_t size) {
    const std::int64_t stride = count;
    count *= static_cast<std::int64_t>(size);
    if (count > static_cast<std::int64_t>(prebuilt_limit)) complete = false, count = 1;
    return stride;
  };
  for (const Place& p : sys.places) {
    Wheel wheel;
    // In the order of number_of().
    for (const Mode mode : {Mode::slip_forward, Mode::slip_backward})
      wheel.friction.push_back({.mode = mode});
    if (p.traits.sticks) wheel.friction.push_back({.mode = Mode::stick});
    if (p.surface_travel >= 0)
      for (const Hold hold : {Hold::above_forward, Hold::above_backward})
        wheel.friction.push_back({.mode = Mode::stick, .hold = hold});
    wheel.load_sign = {1};
    if (p.load_force.x.size() > 0) wheel.load_sign.push_back(-1);
    complete = complete && p.traits.switches == 0;
    place_stride.push_back(turn(wheel.friction.size()));
    load_stride.push_back(turn(wheel.load_sign.size()));
    wheels.push_back(std::move(wheel));
  }
  limit_number.assign(static_cast<std::size_t>(sys.limits), {});
  limit_stride.assign(static_cast<std::size_t>(sys.limits), 0);
  std::vector<std::vector<Saturation>> limits(static_cast<std::size_t>(sys.limits));
  for (const Loop& l : sys.loops) {
    if (l.limit < 0) continue;
    clamps = clamps || l.block.needs_input_rates();
    for (Index j = 0; j < l.block.outputs(); ++j) {
      const auto k = static_cast<std::size_t>(l.limit + j);
      std::vector<Saturation>& list = limits[k];
      list = {Saturation::free};
      for (int side : {1, -1})
        if (std::isfinite(side > 0 ? l.block.hi(j) : l.block.lo(j)))
          for (int kind = 1; kind <= (l.block.integrator >= 0 ? 3 : 1); ++kind)
            list.push_back(static_cast<Saturation>(side * kind));
      for (std::size_t q = 0; q < list.size(); ++q)
        limit_number[k][static_cast<std::size_t>(static_cast<int>(list[q]) + 3)] =
            static_cast<std::int64_t>(q);
      limit_stride[k] = turn(list.size());
    }
  }
  if (!complete) return;
  by_number.assign(static_cast<std::size_t>(count), nullptr);
  Modes modes = now;
  for (std::int64_t number = 0; number < count; ++number) {
    std::int64_t rest = number;
    const auto digit = [&rest](std::size_t size) {
      const auto n = static_cast<std::int64_t>(size), one = rest % n;
      rest /= n;
      return static_cast<std::size_t>(one);
    };
    for (std::size_t i = 0; i < wheels.size(); ++i) {
      modes.friction[i] = wheels[i].friction[digit(wheels[i].friction.size())];
      modes.friction[i].load_sign = wheels[i].load_sign[digit(wheels[i].load_sign.size())];
    }
    for (std::size_t k = 0; k < limits.size(); ++k) modes.limit[k] = limits[k][digit(limits[k].size())];
    by_number[static_cast<std::size_t>(number)] = &built(modes);
  }
}

// Signals at both ends of the step. One that jumps keeps its piece to the end of the step and jumps between
// two steps. Returns whether any did.
bool RealTime::sample(const double* given) noexcept {
  const double t = time(), end = t0 + static_cast<double>(ticks + 1) * h;
  for (Index k = 0; k < input.size(); ++k) input(k) = given[k];
  bool jumped = false;
  for (std::size_t j = 0; j < drives.size(); ++j) {
    const Drive& one = drives[j];
    const Signal& s = sys.signals[static_cast<std::size_t>(one.signal)];
    if (one.whole) { // goes on from the end of the last step
      a.change[j] = value(s.pieces.front(), end, one.degree) - a.s[j];
      continue;
    }
    const std::size_t piece = piece_at(s, t + 1e-9 * h);
    double first = continued(s, piece, t);
    const bool whole =
        one.jumps || piece + 1 >= s.pieces.size() || s.pieces[piece + 1].start > end - 1e-9 * h;
    double last = whole ? continued(s, piece, end) : value(s, end);
    if (one.input >= 0) {
      const double more = input_correction(s, input(one.input));
      first += more;
      last += more;
    }
    const auto i = static_cast<Index>(j);
    before(i) = a.s[j];
    jumped = jumped || std::abs(first - a.s[j]) > 1e-12 * std::abs(first);
    a.s[j] = first;
    a.change[j] = last - first;
  }
  return jumped;
}

// A surface whose velocity jumps takes nothing along.
void RealTime::follow_jumps() noexcept {
  bool changed = false;
  for (Index place : moving_surfaces) {
    const auto i = static_cast<std::size_t>(place);
    const Place& p = sys.places[i];
    std::size_t j = 0;
    while (moving.signals[j] != p.surface) ++j;
    if (drives[j].whole) continue;
    const double jump = a.s[j] - before(static_cast<Index>(j));
    if (!(std::abs(jump) > velocity_tolerance(place) + 1e-13 * std::abs(a.s[j]))) continue;
    const double* s = all(a);
    const double v = relative_velocity(p, a.x, s);
    const int was = now.friction[i].direction();
    if (std::abs(v) <= velocity_tolerance(place) || (was == 0 && p.surface_travel >= 0)) continue;
    const int is = v > 0.0 ? 1 : -1;
    if (was == is) continue;
    now.friction[i].mode = slip(is);
    changed = true;
    change_mode(p, was, is, v, normal_load(p, now.friction[i].load_sign, a.x, s), time(), a.x);
  }
  if (changed) {
    plan = &plan_of(now);
    ++transitions;
  }
}

} // namespace stickslip
