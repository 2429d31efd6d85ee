#include "realtime/real_time.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/number_text.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"
#include "run/check.hpp"
#include "run/simulate.hpp"
#include "transition/automaton_states.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

bool has_jumps(const Signal& s) {
  bool found = false;
  for_each_breakpoint(s, [&](double t, const Held& p, const Held& next) {
    const double before = value(p, t), after = value(next, t);
    found = found || std::abs(after - before) > tolerance::jump * std::max(std::abs(after), std::abs(before));
  });
  return found;
}

} // namespace

RealTime::RealTime(const System& system, double step, const Vector& x0, double start, int max_transitions)
    : sys(system), h(positive("step", step)), t0(finite("t_start", start)), most(max_transitions), w(system) {
  if (x0.size() != sys.nx)
    reject("initial",
           "has " + std::to_string(x0.size()) + " values for " + std::to_string(sys.nx) + " states");
  if (most < 1) reject("max_transitions", most, ">= 1");
  refuse_what_it_cannot();
  find_inputs();
  find_moving(full);
  if (sys.smooth) {
    Tangent& tangent = w.tangent(sys);
    tangent.move_to(t0, consistent(sys, t0, x0).data(), {});
    tangent.write(full.data());
    in_place = tangent.in_place();
    load_zero = tolerance::sign * tangent.load_sizes(sys.nominal.cwiseMax(x0.cwiseAbs()), sys.time_scale);
  }
  size_work(x0);
  lay_out();
  sampled = std::make_unique<SampledLoops>(sys, h, t0);
  choose_first_modes(x0);
  start_rings();
  build_all();
  if (contacts)
    contacts->lasts = {[](void* self, const Modes& modes, const double* x) noexcept {
                         return static_cast<RealTime*>(self)->lasts(modes, x);
                       },
                       this};
  plan = &plan_of(now);
}

void RealTime::refuse_what_it_cannot() const {
  for (const Loop& l : sys.loops)
    if (needs_interpreter(l.block))
      reject("machine", "has the controller '" + l.name +
                            "', a Python function, which has no bounded time: call it between steps and give "
                            "its output as an "
                            "Input");
  if (sys.needs_interpreter)
    reject(
        "machine",
        "has a friction law that is a Python function, which has no bounded time: sample it by Table.sample");
  for (const Friction& p : sys.friction)
    if (p.has_seat()) reject("machine", "has the detent '" + p.name + "', which RealTime does not support");
  for (const Friction& p : sys.friction)
    if (p.table_load > 0.0)
      reject("machine", "has a load_table at '" + p.name + "', which RealTime does not support");
  for (const Contact& c : sys.contacts)
    if (!c.yields() && sys.smooth)
      reject("machine",
             "has the " + std::string(c.of_velocity ? "one-way clutch" : "contact") + " '" + c.name +
                 "', which is rigid, and functions of the motion: RealTime supports rigid contacts "
                 "in linear machines only; give the contact a compliance");
}

// Values of all signals at the start, and the signals that are inputs.
void RealTime::find_inputs() {
  full.resize(sys.ns());
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& s = sys.signals[i];
    full(i) = value(s, t0);
    if (s.input.empty() || std::find(input_names.begin(), input_names.end(), s.input) != input_names.end())
      continue;
    input_names.push_back(s.input);
    input.conservativeResize(input.size() + 1);
    input(input.size() - 1) = s.input_default;
  }
}

void RealTime::size_work(const Vector& x0) {
  const Index nx = sys.nx, np = sys.friction.size();
  rate = Vector::Zero(nx + moving.size() + 2 * np + 3);
  f0 = f1 = k1 = k2 = dfdt = Vector::Zero(nx);
  sdot = Vector::Zero(sys.ns());
  Index inputs_most = 1;
  for (const Loop& l : sys.loops) inputs_most = std::max(inputs_most, l.inputs.size());
  samples = sample_rates = Vector::Zero(inputs_most);
  slopes = Vector::Zero(2 * nx + moving.size() + 4);
  J = W = Matrix::Zero(nx, nx);
  order.resize(std::max(nx, 2 * np + 1));
  force = Vector::Zero(np + sys.contacts.size());
  came_from = velocity_tolerance = force_tolerance = Vector::Zero(np);
  for (Index i = 0; i < np; ++i) {
    const Friction& p = system_here().friction[i];
    velocity_tolerance(i) =
        tolerance::least_size * p.velocity.x.cwiseAbs().dot(sys.nominal.cwiseMax(x0.cwiseAbs()));
    force_tolerance(i) = tolerance::least_size * p.break_away * std::abs(full(p.load));
  }
}

// Chooses the modes at the start as simulate() does, after the first sampling instants of controllers.
void RealTime::choose_first_modes(const Vector& x0) {
  State first = initial_state(sys, t0, x0);
  check_formulas(sys, first);
  for (const Friction& p : sys.friction)
    if (const double load = p.load >= 0 ? full(p.load) : 0.0; load < 0.0)
      reject("normal_load",
             "of '" + p.name + "' is negative at the start, " + number_text(load) + ", but it must be >= 0");
  std::copy_n(first.base_x.data(), sys.nx, a.x);
  now = first.modes;
  if (sampled->any()) { // their inputs do not depend on friction elements
    for (Index i = 0; i < sys.friction.size(); ++i)
      if (!sys.friction[i].traits.sticks) now.friction[i].mode = Mode::slip_forward;
    plan = &plan_of(now);
    sampled->run(ticks, time(), {plan->inputs, a.x});
  }
  std::copy_n(a.x, sys.nx, first.base_x.data());
  if (sys.smooth) {
    Tangent tangent(sys);
    RegimeCache there;
    Transition(tangent.system, there, {}, &tangent).start(first, false);
  } else {
    Transition(sys, cache).start(first, false);
  }
  std::copy_n(first.base_x.data(), sys.nx, a.x);
  now = first.modes;
  now.sides.clear();
  if (has_rigid_contacts(sys)) contacts = std::make_unique<ContactInstant>(sys, cache, first);
  if (contacts && cache.get(sys, now).sharing.any()) { // the real-time form does not share normal forces
    now.at_limit.clear();
    contacts->decide(t0, here(), {}, true, a.x, now);
  }
  slide_on_what_yields();
  for (Index i = 0; i < sys.friction.size(); ++i) // the step bounds accumulations of slips
    if (sys.friction[i].surface_travel < 0) now.friction[i].hold = Hold::by_limit;
}

// Friction of a compliant contact always slides; its force vanishes with its load.
void RealTime::slide_on_what_yields() {
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (sys.contacts[j].yields()) now.contact[j] = Mode::open;
  const double* const s = here();
  for (Index i = 0; i < sys.friction.size(); ++i) {
    FrictionMode& mode = now.friction[i];
    if (sys.friction[i].contact >= 0 || (!mode.open() && !mode.free)) continue;
    mode.free = false; // loads are numbers here, and may be zero
    const double v = relative_velocity(system_here().friction[i], a.x, s);
    mode.enter(std::abs(v) > velocity_tolerance(i) || !sys.friction[i].traits.sticks ? slip(v < 0.0 ? -1 : 1)
                                                                                     : Mode::stick);
  }
}

// Before the start, sliding elements have slid at the initial velocity.
void RealTime::start_rings() {
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const Friction& p = sys.friction[i]; p.delayed >= 0)
      rings.emplace_back(p.name, i, p.automaton.dead_time, h,
                         now.friction[i].sticks() ? 0.0 : a.x[p.delayed]);
}

// Stores the velocity at the end of a step, and that of one dead time before.
void RealTime::remember() noexcept {
  for (Ring& ring : rings) {
    const double* const s = here();
    const Friction& p = system_here().friction[ring.element];
    const bool sticks = now.friction[ring.element].sticks();
    ring.put(ticks, sticks ? 0.0 : relative_velocity(p, a.x, s));
    a.x[p.delayed] = ring.at(ticks, 0.0);
  }
}

// Layout of a point: changes, x, signals, forces; with an unused row where pairs require one.
void RealTime::lay_out() {
  const Index nv = moving.size(), np = sys.friction.size(), most_curved = 2 * np + 1;
  for (Point* p : {&a, &b, &e}) {
    p->store.assign(2 * nv + sys.nx + most_curved + 4, 0.0);
    p->change = p->store.data();
    p->x = p->change + nv;
    p->s = p->x + sys.nx;
    p->f = p->s + nv;
    for (Index j = 0; j < nv; ++j) p->s[j] = full(moving.signals[j]);
  }
  values.resize(most_curved);
  K.resize(most_curved * most_curved);
  d.resize(most_curved);
  rhs.resize(std::max(most_curved, np + sys.contacts.size()));
  before = Vector::Zero(nv);
  ga.resize(8);
  gb.resize(8);
  ge.resize(8);
}

namespace {

// Weight of each signal in the elements, without controllers.
Vector seen_by_elements(const System& sys) {
  Vector seen = sys.S.cwiseAbs().colwise().sum().transpose();
  if (sys.smooth && sys.smooth->moving_inertia())
    seen += sys.smooth->S.cwiseAbs().colwise().sum().transpose();
  for (const System::Drive& one : sys.drives) seen(one.signal) += 1.0; // outputs of the plant may show them
  for (const Spring& p : sys.springs) seen += p.elongation.s.cwiseAbs() + p.rate.s.cwiseAbs();
  for (const Friction& p : sys.friction) {
    seen += p.velocity.s.cwiseAbs();
    if (p.acceleration_s.size() == sys.ns()) seen += p.acceleration_s.cwiseAbs();
    if (p.load >= 0) seen(p.load) += 1.0;
    if (p.surface >= 0) seen(p.surface) += 1.0;
    for (const Form& f : p.load_parts) seen += f.s.cwiseAbs();
  }
  for (const Contact& c : sys.contacts)
    if (!c.yields()) seen += c.gap.s.cwiseAbs() + c.rate.s.cwiseAbs() + c.acceleration_s.cwiseAbs();
  return seen;
}

Vector seen_by_controllers(const System& sys) {
  const Index ns = sys.ns();
  Vector seen = Vector::Zero(ns);
  for (const Loop& l : sys.loops) {
    for (const Input& in : l.inputs) {
      seen += in.fixed.s.cwiseAbs();
      if (in.has_rate && (l.saturation >= 0 || !in.outputs.empty())) seen += in.rate.s.cwiseAbs();
    }
    for (const Input* in : {&l.reference, &l.measured})
      if (in->fixed.s.size() == ns) seen += in->fixed.s.cwiseAbs();
  }
  return seen;
}

// Some controllers read rates of outputs of others.
bool has_chained_loops(const System& sys) {
  return std::any_of(sys.loops.begin(), sys.loops.end(), [](const Loop& l) {
    return std::any_of(l.inputs.begin(), l.inputs.end(), [](const Input& in) { return !in.outputs.empty(); });
  });
}

} // namespace

// Signals that are not constant, or are inputs, if any element depends on them.
void RealTime::find_moving(const Vector& still) {
  const Vector seen = seen_by_elements(sys) + seen_by_controllers(sys);
  const bool chained = has_chained_loops(sys);
  moving.still = still;
  for (Index i = 0; i < sys.ns(); ++i) {
    const Signal& s = sys.signals[i];
    if ((is_constant(s) && s.input.empty()) || (!chained && seen(i) == 0.0)) continue;
    const bool load =
        std::any_of(sys.friction.begin(), sys.friction.end(), [i](const Friction& p) { return p.load == i; });
    Drive one{i, -1, has_jumps(s), s.pieces.size() < 2 && s.input.empty(), signal_max_degree, load};
    if (!s.input.empty())
      one.input = std::find(input_names.begin(), input_names.end(), s.input) - input_names.begin();
    if (!s.pieces.empty()) one.degree = degree(s.pieces.front());
    drives.push_back(one);
    moving.signals.push_back(i);
    moving.still(i) = 0.0;
    any_input = any_input || one.input >= 0;
  }
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (sys.friction[i].traits.sticks && std::find(moving.signals.begin(), moving.signals.end(),
                                                   sys.friction[i].surface) != moving.signals.end())
      moving_surfaces.push_back(i);
}

const double* RealTime::all(const Point& p) noexcept {
  for (Index j = 0; j < moving.signals.size(); ++j) full(moving.signals[j]) = p.s[j];
  return full.data();
}

const System& RealTime::system_here() noexcept {
  return sys.smooth ? w.tangent(sys).system : sys;
}

const double* RealTime::here() noexcept {
  all(a);
  if (sys.smooth) {
    Tangent& tangent = w.tangent(sys);
    tangent.move_to(time() + at, a.x, now.sides);
    tangent.write(full.data());
  }
  return full.data();
}

const RealTimePlan& RealTime::plan_of(const Modes& modes) {
  const auto known = plans.find(modes);
  if (known != plans.end()) return *known->second;
  auto made = std::make_unique<RealTimePlan>(
      make_plan(sys, cache.get(sys, modes), moving, h, velocity_tolerance, force_tolerance));
  const Index guards = made->regime->guards.size() + 2;
  if (ga.size() < guards) ga.resize(guards), gb.resize(guards), ge.resize(guards);
  if (sys.smooth && !w.tangent(sys).bare()) w.tangent(sys).regime(modes);
  return *plans.emplace(modes, std::move(made)).first->second;
}

namespace {

List<FrictionMode> modes_of(const Friction& p) {
  List<FrictionMode> out{{.mode = Mode::slip_forward}, {.mode = Mode::slip_backward}};
  if (p.contact >= 0) out.push_back({.mode = Mode::open});
  if (p.traits.sticks) out.push_back({.mode = Mode::stick});
  if (p.surface_travel >= 0)
    for (const Hold hold : {Hold::above_forward, Hold::above_backward})
      out.push_back({.mode = Mode::stick, .hold = hold});
  return out;
}

List<FlankMode> modes_of(const System& sys, const Flank& f) {
  List<FlankMode> out;
  for (const bool loose : {false, true})
    for (Index k = 0; k < f.line.stretches.size() && !(loose && sys.springs[f.spring].damping == 0.0); ++k)
      out.push_back({k, loose});
  return out;
}

List<Saturation> modes_of(const Block& b, Index output) {
  List<Saturation> out{Saturation::free};
  for (const int side : {1, -1})
    if (std::isfinite(side > 0 ? b.hi(output) : b.lo(output)))
      for (int kind = 1; kind <= (b.integrator >= 0 ? 3 : 1); ++kind)
        out.push_back(static_cast<Saturation>(side * kind));
  return out;
}

} // namespace

// Plans with indeterminate forces of contacts are never chosen.
static void drop_shared(auto& plans, ContactInstant& contacts) {
  const auto is_shared = [](const auto& one) { return one.second->regime->shared; };
  std::erase_if(plans, [](const auto& one) { return one.second->regime->sharing.any(); });
  if (std::any_of(plans.begin(), plans.end(), is_shared)) contacts.share_friction();
}

// Builds every reachable combination of modes if these are few; else each when it first occurs.
void RealTime::build_all() {
  List<Modes> all{now};
  complete = true;
  const auto vary = [&](auto&& part, const auto& list) {
    complete = complete && all.size() * list.size() <= prebuilt_limit;
    if (!complete) return;
    List<Modes> more;
    for (const Modes& one : all)
      for (const auto& value : list) part(more.emplace_back(one)) = value;
    all = std::move(more);
  };
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (!sys.contacts[j].yields())
      vary([j](Modes& m) -> auto& { return m.contact[j]; }, List<Mode>{Mode::open, Mode::closed});
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    complete = complete && p.traits.switches == 0;
    vary([i](Modes& m) -> auto& { return m.friction[i]; }, modes_of(p));
    if (p.contact >= 0) // open together with its contact
      std::erase_if(
          all, [&](const Modes& m) { return (m.contact[p.contact] == Mode::open) != m.friction[i].open(); });
    if (!p.load_parts.empty())
      vary([i](Modes& m) -> auto& { return m.friction[i].load_stretch; }, List<std::int16_t>{0, 1});
  }
  for (Index k = 0; k < sys.flanks.size(); ++k)
    vary([k](Modes& m) -> auto& { return m.flank[k]; }, modes_of(sys, sys.flanks[k]));
  for (const Loop& l : sys.loops) {
    if (l.saturation < 0) continue;
    clamps = clamps || l.block.needs_input_rates();
    for (Index j = 0; j < l.block.outputs(); ++j)
      vary([k = l.saturation + j](Modes& m) -> auto& { return m.saturation[k]; }, modes_of(l.block, j));
  }
  if (!complete) return;
  for (const Modes& one : all) plan_of(one);
  if (contacts) drop_shared(plans, *contacts);
}

// Signals at both ends of the step. A discontinuous signal keeps its piece to the end of the step and jumps between two
// steps. Returns true if one jumped.
bool RealTime::sample(const double* given) noexcept {
  const double t = time(), end = t0 + static_cast<double>(ticks + 1) * h;
  for (Index k = 0; k < input.size(); ++k) input(k) = given[k];
  bool jumped = false;
  for (Index j = 0; j < drives.size(); ++j) {
    const Drive& one = drives[j];
    const Signal& s = sys.signals[one.signal];
    if (one.whole) { // continues from the end of the last step
      a.change[j] = value(s.pieces.front(), end, one.degree) - a.s[j];
      clip_load(j);
      continue;
    }
    // The piece at the start of the step is used to its end.
    const double near = tolerance::instant * h;
    double first = 0.0, last = 0.0;
    if (!s.pieces.empty()) {
      const Held piece = piece_at(s, t + near);
      first = value(piece, t);
      last = one.jumps || next_breakpoint(s, t + near) > end - near ? value(piece, end) : value(s, end);
    }
    if (one.input >= 0) {
      const double more = input_correction(s, input(one.input));
      first += more;
      last += more;
    }
    before(j) = a.s[j];
    jumped = jumped || std::abs(first - a.s[j]) > tolerance::sign * std::abs(first);
    a.s[j] = first;
    a.change[j] = last - first;
    clip_load(j);
  }
  return jumped;
}

// A surface cannot pull: negative loads are clipped to zero.
void RealTime::clip_load(Index j) noexcept {
  const double first = a.s[j], last = first + a.change[j];
  if (!drives[j].load || (first >= 0.0 && last >= 0.0)) return;
  a.s[j] = std::max(first, 0.0);
  a.change[j] = std::max(last, 0.0) - a.s[j];
  clipped = true;
}

// Loads from formulas, which the tangent has clipped.
void RealTime::look_at_loads() noexcept {
  if (sys.smooth && !sys.smooth->loads.empty()) {
    Tangent& tangent = w.tangent(sys);
    tangent.move_to(time(), a.x, now.sides);
    for (const Smooth::Value& load : sys.smooth->loads)
      clipped = clipped || tangent.load(load.signal) < -load_zero(load.signal);
  }
  if (clipped) ++clipped_steps;
}

// A jump of the surface velocity ends sticking.
void RealTime::follow_jumps() noexcept {
  bool changed = false;
  for (Index element : moving_surfaces) {
    const double* const s = here();
    const Friction& p = system_here().friction[element];
    Index j = 0;
    while (moving.signals[j] != p.surface) ++j;
    if (drives[j].whole) continue;
    const double jump = a.s[j] - before(j);
    if (!(std::abs(jump) > velocity_tolerance(element) + tolerance::rounding * std::abs(a.s[j]))) continue;
    const double v = relative_velocity(p, a.x, s);
    const int was = now.friction[element].direction();
    if (std::abs(v) <= velocity_tolerance(element) || (was == 0 && p.surface_travel >= 0) ||
        now.friction[element].open())
      continue;
    const int is = v > 0.0 ? 1 : -1;
    if (was == is) continue;
    now.friction[element].mode = slip(is);
    changed = true;
    change_mode(p, was, is, v, normal_load(p, now.friction[element].load_stretch, a.x, s), time(), a.x);
  }
  if (changed) {
    plan = &plan_of(now);
    ++transitions;
  }
}

} // namespace stickslip
