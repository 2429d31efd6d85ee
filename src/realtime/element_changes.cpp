#include "realtime/element_changes.hpp"

#include "core/tolerances.hpp"
#include "dynamics/free.hpp"
#include "transition/automaton_states.hpp"
#include "transition/mode_changes.hpp"

#include <cmath>
#include <utility>

namespace stickslip {

ElementChanges::ElementChanges(const System& system, const StepClock& time, LocalMachine& machine,
                               PlannedModes& planned, BaseStep& base)
    : sys(system), clock(time), local(machine), modes(planned), step(base),
      came_from(Vector::Zero(system.friction.size())) {
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (sys.friction[i].automaton != Automaton{} && can_be_free(sys, sys.friction[i])) remember.push_back(i);
  loaded.assign(remember.size(), 1);
}

void ElementChanges::begin_under_load() noexcept {
  for (Index k = 0; k < remember.size(); ++k) {
    const Index i = remember[k];
    const double N = load(i);
    const bool was = std::exchange(loaded[k], N > 0.0);
    if (!was && loaded[k])
      start_under_load(local.system().friction[i], modes.now.friction[i].direction(), velocity(i), N,
                       clock.start(), step.a.x);
  }
}

void ElementChanges::slide_on_compliant() noexcept {
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (sys.contacts[j].yields()) modes.now.contact[j] = Mode::open;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    FrictionMode& mode = modes.now.friction[i];
    if (sys.friction[i].contact >= 0 || (!mode.open() && !mode.free)) continue;
    mode.free = false; // loads are numbers here, and may be zero
    const double v = velocity(i);
    const bool slides = std::abs(v) > modes.zeros.velocity(i) || !sys.friction[i].traits.sticks;
    mode.enter(slides ? slip(v < 0.0 ? -1 : 1) : Mode::stick);
  }
}

bool ElementChanges::follow_jumps(const DrivenSignals& driven) noexcept {
  bool changed = false;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const double jump = driven.jump(sys.friction[i].velocity, step.a);
    if (jump == 0.0 || !sys.friction[i].traits.sticks) continue;
    const double* const s = step.signals_at_start();
    const Friction& p = local.system().friction[i];
    const double zero = modes.zeros.velocity(i);
    const double size = p.velocity.s.cwiseAbs().dot(Eigen::Map<const Vector>(s, sys.ns()).cwiseAbs());
    if (!(std::abs(jump) > zero + tolerance::rounding * size)) continue;
    FrictionMode& mode = modes.now.friction[i];
    const double v = velocity(i);
    const int was = mode.direction(), is = v > 0.0 ? 1 : -1;
    if (std::abs(v) <= zero || (was == 0 && p.surface_travel >= 0) || mode.open() || was == is) continue;
    mode.mode = slip(is);
    changed = true;
    change_mode(p, was, is, v, load(i), clock.start(), step.a.x);
  }
  return changed;
}

bool ElementChanges::leave_parting_surfaces() noexcept {
  const List<FrictionMode>& before = modes.plan->regime->modes.friction;
  bool changed = false;
  for (Index weakest; (weakest = weakest_parting()) >= 0; changed = true) {
    release(weakest, velocity(weakest) > 0.0 ? 1 : -1);
    step.change_modes();
    step.hold();
  }
  for (Index i = 0; changed && i < sys.friction.size(); ++i) // others have taken the body to its surface
    if (before[i].sticks() && std::abs(velocity(i)) <= modes.zeros.velocity(i))
      modes.now.friction[i] = before[i];
  if (changed) step.change_modes();
  return changed;
}

bool ElementChanges::rest_with_others() noexcept {
  if (modes.plan->regime->sticking.empty()) return false;
  bool changed = false;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = local.system().friction[i];
    const FrictionMode& mode = modes.now.friction[i];
    if (!p.traits.sticks || p.surface_travel >= 0 || p.prescribed || loading_contact(p) >= 0 ||
        !mode.slips() || std::abs(velocity(i)) > modes.zeros.velocity(i) ||
        p.velocity.x.dot(p.effect) == 0.0 || !(load(i) > 0.0))
      continue;
    stop(i);
    changed = true;
  }
  end_instant();
  return changed;
}

double ElementChanges::velocity(Index i) noexcept {
  return relative_velocity(local.system().friction[i], step.a.x, step.signals_at_start());
}

double ElementChanges::load(Index i) noexcept {
  return normal_load(local.system().friction[i], modes.now.friction[i].load_stretch, step.a.x,
                     step.signals_at_start());
}

// -1: all elements that stick are at rest on their surfaces.
Index ElementChanges::weakest_parting() noexcept {
  const bool shared = modes.plan->regime->shared;
  Index weakest = -1;
  double least = 0.0;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = local.system().friction[i];
    const FrictionMode& mode = modes.now.friction[i];
    if ((!p.prescribed && !shared) || !p.traits.sticks || p.surface_travel >= 0 || !mode.sticks() ||
        std::abs(velocity(i)) <= modes.zeros.velocity(i))
      continue;
    const double limit = p.break_away * load(i);
    if (weakest < 0 || limit < least) weakest = i, least = limit;
  }
  return weakest;
}

void ElementChanges::fire(const Guard& g) noexcept {
  switch (g.kind) {
  case GuardKind::slip_ends:
    return stop(g.friction);
  case GuardKind::breaks_away:
    if (sys.friction[g.friction].surface_travel < 0 || moves_towards(g.friction, g.direction))
      release(g.friction, g.direction);
    else
      modes.now.friction[g.friction].hold = above_limit(g.direction);
    return;
  case GuardKind::surface_turns:
    return release(g.friction, g.direction);
  case GuardKind::shared_limit:
    return for_each_leaving(*modes.plan->regime, g, [&](Index i, int side) { release(i, side); });
  case GuardKind::touches:
  case GuardKind::leaves:
  case GuardKind::corner:
    return pass_corner(g);
  default: // there are no contacts here
    return switch_flow(sys, modes.now, g, step.a.x);
  }
}

void ElementChanges::release_beyond() noexcept {
  for (Index round = 0; round <= sys.friction.size() && !modes.plan->regime->sticking.empty(); ++round) {
    const Guard* const first = furthest_beyond();
    if (first == nullptr) break;
    fire(*first);
    step.change_modes();
  }
}

// Among elements that cannot hold, the one that exceeds its limits most: releasing it may relieve the others.
const Guard* ElementChanges::furthest_beyond() noexcept {
  const RealTimePlan& plan = *modes.plan;
  const List<Guard>& known = plan.regime->guards;
  if (guards.size() < known.size() + 2) make_room();
  step.find_forces();
  step.guards(step.a, 0.0, guards.data());
  const Guard* first = nullptr;
  double worst = 0.0;
  for (Index k = 0; k < known.size(); ++k) {
    const Guard& g = known[k];
    const bool rigid = g.kind == GuardKind::breaks_away && sys.friction[g.friction].surface_travel < 0;
    if (!(guards[k] > plan.tolerance[k]) || !(rigid || g.kind == GuardKind::shared_limit)) continue;
    const double beyond = guards[k] / plan.tolerance[k];
    if (first == nullptr || beyond > worst) worst = beyond, first = &g;
  }
  return first;
}

// A flank enters another segment, is released by its damper, or pushes again.
void ElementChanges::pass_corner(const Guard& g) noexcept {
  const Regime& r = *modes.plan->regime;
  FlankMode& mode = modes.now.flank[g.flank];
  const FlankMode next = r.linear->flank_guards[g.flank_guard].next;
  if (mode != r.modes.flank[g.flank]) return; // another guard of this flank came first
  const bool entered = next.stretch != mode.stretch;
  mode = next;
  const double* const s = step.signals_at_start();
  const Flank& flank = sys.flanks[g.flank];
  const Spring& p = local.system().springs[flank.spring];
  if (!entered || p.damping == 0.0 || !flank.lets_go(mode.stretch)) return;
  const double line = flank.line.value(mode.stretch, value(p.elongation, step.a.x, s));
  mode.loose = flank.side[mode.stretch] * (line + p.damping * value(p.rate, step.a.x, s)) < 0.0;
}

void ElementChanges::stop(Index i) noexcept {
  double* const x = step.a.x;
  const Friction& p = local.system().friction[i];
  FrictionMode& mode = modes.now.friction[i];
  const double t = clock.now(), N = load(i);
  const int was = mode.direction();
  // At a dead centre, or along a prescribed motion, the force of a rigid element has no effect on the motion.
  if (p.velocity.x.dot(p.effect) == 0.0 && !(p.prescribed && p.surface_travel >= 0)) {
    change_mode(p, was, -was, 0.0, N, t, x);
    return enter(mode, p, slip(-was), x);
  }
  if (p.surface_travel < 0)
    start_clock(p, was, N, t, x);
  else
    change_mode(p, was, 0, 0.0, N, t, x);
  mode.enter(Mode::stick);
  came_from(i) = was;
}

// A sticking element slides from here on. One that came to rest at this same instant only reverses and keeps its force.
void ElementChanges::release(Index i, int side) noexcept {
  FrictionMode& mode = modes.now.friction[i];
  if (!mode.sticks()) return;
  double* const x = step.a.x;
  const Friction& p = local.system().friction[i];
  const bool has_states = p.lagged >= 0 || p.peak >= 0;
  if (has_states && came_from(i) == 0.0) change_mode(p, 0, side, velocity(i), load(i), clock.now(), x);
  enter(mode, p, slip(side), x);
}

bool ElementChanges::moves_towards(Index i, int side) noexcept {
  const double* const s = step.signals_at_start();
  const Friction& p = local.system().friction[i];
  const double v = velocity(i);
  if (std::abs(v) > modes.zeros.velocity(i)) return v * side > 0.0;
  const Vector& xdot = local.rates(*modes.plan->regime, clock.now(), step.a.x, s);
  return relative_acceleration(p, xdot, local.signals()) * side >= 0.0;
}

} // namespace stickslip
