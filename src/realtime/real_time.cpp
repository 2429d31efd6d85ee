#include "realtime/real_time.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "realtime/refusals.hpp"
#include "run/check.hpp"
#include "transition/transition.hpp"

#include <algorithm>

namespace stickslip {

namespace {

const System& checked_machine(const System& sys, const Vector& x0, int most) {
  if (x0.size() != sys.nx)
    reject("initial",
           "has " + std::to_string(x0.size()) + " values for " + std::to_string(sys.nx) + " states");
  if (most < 1) reject("max_transitions", most, ">= 1");
  refuse_without_fixed_steps(sys);
  return sys;
}

} // namespace

RealTime::RealTime(const System& system, double step, const Vector& x0, double start, int max_transitions)
    : sys(checked_machine(system, x0, max_transitions)),
      clock{positive("step", step), finite("t_start", start)}, most(max_transitions), driven(sys, clock.t0),
      local(sys, driven, clock.t0, x0), planned(sys, local, clock.h, x0), base(sys, clock, local, planned),
      guards(sys, clock, base, planned, driven.moving()), elements(sys, clock, local, planned, base),
      limits(sys, planned, base), sampled(sys, clock.h, clock.t0) {
  choose_first_modes(x0);
  past.emplace(sys, clock.h, planned.now, base.a.x);
  planned.build_all();
  if (contacts) {
    if (planned.drop_shared()) contacts->share_friction();
    contacts->lasts = {[](void* self, const Modes& modes, const double* x) noexcept {
                         return static_cast<GuardLocation*>(self)->lasts(modes, x);
                       },
                       &guards};
  }
  base.change_modes();
  guards.make_room();
  elements.make_room();
}

// As simulate() does, after the first sampling instants of controllers.
void RealTime::choose_first_modes(const Vector& x0) {
  State first = initial_state(sys, clock.t0, x0);
  check_formulas(sys, first);
  for (const Friction& p : sys.friction)
    if (const double load = local.signals()(p.load); load < 0.0)
      reject("normal_load",
             "of '" + p.name + "' is negative at the start, " + number_text(load) + ", but it must be >= 0");
  if (sampled.any()) sample_first(first);
  if (sys.smooth) {
    Tangent tangent(sys);
    RegimeCache there;
    Transition(tangent.system, there, {}, &tangent).start(first, false);
  } else {
    Transition(sys, planned.cache).start(first, false);
  }
  Modes& now = planned.now;
  now = first.modes;
  now.sides.clear();
  std::copy_n(first.base_x.data(), sys.nx, base.a.x);
  if (has_rigid_contacts(sys)) contacts = std::make_unique<ContactInstant>(sys, planned.cache, first);
  if (contacts &&
      planned.cache.get(sys, now).sharing.any()) { // the fixed-step form does not share normal forces
    now.at_limit.clear();
    contacts->decide(clock.t0, base.signals_at_start(), {}, true, base.a.x, now);
  }
  elements.slide_on_compliant();
  for (Index i = 0; i < sys.friction.size(); ++i) // the step bounds accumulations of slips
    if (sys.friction[i].surface_travel < 0) now.friction[i].hold = Hold::by_limit;
}

// Inputs of controllers do not depend on friction elements.
void RealTime::sample_first(State& first) {
  planned.now = first.modes;
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (!sys.friction[i].traits.sticks) planned.now.friction[i].mode = Mode::slip_forward;
  base.change_modes();
  std::copy_n(first.base_x.data(), sys.nx, base.a.x);
  sampled.run(clock.step, clock.start(), {planned.plan->inputs, base.a.x});
  std::copy_n(base.a.x, sys.nx, first.base_x.data());
}

void RealTime::step(const double* values) noexcept {
  late = clipped = false;
  if (failed) {
    ++clock.step;
    return;
  }
  begin(values);
  const StepPoint* end = nullptr;
  for (int changes = 0; end == nullptr;) {
    const double next = sampled.any() ? sampled.next_output(clock.step, clock.passed) : clock.left;
    const bool output = next < clock.left; // a delayed output takes effect within the step
    if (output && next <= 0.0) {
      put_out();
      continue;
    }
    const double stop = output ? next : clock.left;
    base.advance();
    const StepPoint& p = base.at(stop);
    if (!Eigen::Map<const Vector>(p.x, sys.nx).allFinite()) {
      failed = true;
      ++clock.step;
      return;
    }
    guards.evaluate_end(p, stop);
    if (guards.any_fired()) {
      if (may_change(changes)) {
        change_modes(stop);
        ++changes;
        if (clock.left <= tolerance::same * clock.h) break;
        continue;
      }
      flag_late();
    }
    if (output) {
      base.move_to(p, stop);
      put_out();
    } else {
      end = &p;
    }
  }
  finish(end);
}

// Inputs, sampling instants and surfaces with velocity jumps at the start of a step.
void RealTime::begin(const double* values) noexcept {
  const auto [jumped, loads_clipped] = driven.sample(values, clock, base.a);
  clipped = loads_clipped;
  clock.begin_step();
  base.restart();
  if (past->any()) past->look_ahead(clock.step, base.a.x);
  bool inputs_changed = jumped;
  if (sampled.any()) {
    if (jumped && clock.step == 0) sampled.restart();
    if (sampled.run(clock.step, clock.start(), {planned.plan->inputs, base.a.x})) inputs_changed = true;
  }
  elements.begin_under_load();
  const bool surfaces_jumped = jumped && elements.follow_jumps(driven);
  if (elements.rest_with_others() || surfaces_jumped) base.change_modes();
  if (elements.leave_parting_surfaces() || surfaces_jumped) ++transitions;
  if (inputs_changed) choose_limits();
}

// Beyond `most` changes in a step only contacts that are reached may close, each at most once.
bool RealTime::may_change(int changes) noexcept {
  if (changes < most) return true;
  if (!contacts || changes >= most + sys.contacts.size() || !guards.any_contact_met()) return false;
  flag_late();
  return true;
}

// At the first instant before `end` at which a guard fires. In a late step contacts close without rebound.
void RealTime::change_modes(double end) noexcept {
  guards.move_to_first(end, late);
  const List<Guard>& known = planned.plan->regime->guards;
  bool stops = false, limited = false;
  if (contacts) contacts->fired.clear();
  for (Index k = 0; k < known.size(); ++k) {
    const Guard& g = known[k];
    if (!guards.fires(k)) continue;
    if (g.kind == GuardKind::saturation) {
      if (!limited) limits.prepare();
      limited = true;
      limits.fire(g);
    } else if (contacts && g.flank < 0) {
      contacts->fired.push_back(g);
    } else {
      elements.fire(g);
      stops = stops || (g.kind == GuardKind::slip_ends && sys.friction[g.friction].surface_travel < 0);
    }
  }
  if (contacts &&
      !contacts->decide(clock.now(), base.signals_at_start(), contacts->fired, !late, base.a.x, planned.now))
    flag_late();
  base.change_modes();
  if (contacts || (stops && !sys.smooth)) base.hold_by_plan();
  if (!contacts) elements.release_beyond();
  // Near a dead centre a residual velocity would need a large impulse: only for elements that stay at rest.
  if (stops && sys.smooth) base.hold();
  elements.end_instant();
  ++transitions;
}

void RealTime::put_out() noexcept {
  const bool changed = sampled.put_out(clock.step, clock.passed, base.a.x);
  base.restart();
  if (changed) choose_limits();
}

void RealTime::choose_limits() noexcept {
  if (!limits.choose_anew()) return;
  base.change_modes();
  ++transitions;
}

// end: the point at the end of the step; null if the last change of modes was there.
void RealTime::finish(const StepPoint* end) noexcept {
  if (end != nullptr)
    base.move_to(*end, clock.left);
  else
    base.complete_signals();
  clock.end_step();
  base.hold();
  if (sys.constraints.any() && !sys.smooth) keep_constraints(sys, clock.start(), base.a.x);
  limits.settle();
  if (past->any()) past->remember(clock.step, local.system(), planned.now, base.signals_at_start(), base.a.x);
  clipped = clipped || local.clips_loads(clock.start(), base.a, planned.now);
  if (clipped) ++clipped_steps;
}

// The step leaves a transition to the next one.
void RealTime::flag_late() noexcept {
  if (!late) ++left_over;
  late = true;
}

void RealTime::read(const RealTimeOutput* what, Index count, double* out) noexcept {
  StepOutputs(sys, clock.start(), planned, local, base, contacts.get()).read(what, count, out);
}

} // namespace stickslip
