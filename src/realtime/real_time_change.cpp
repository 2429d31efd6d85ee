// Changes of mode within a step of the fixed-step form.
#include "realtime/real_time.hpp"
#include "transition/automaton_states.hpp"
#include "transition/mode_changes.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

// All guards that fire at this instant, and the mode changes that follow at the same time. Guards at the instant are in
// ge, those at the end of the part in gb; the located guard always fires, together with those equal to it within
// rounding.
void RealTime::change(Index which) noexcept {
  const RealTimePlan& old = *plan;
  const Regime& r = *old.regime;
  bool stops = false, limits = false;
  if (contacts) contacts->fired.clear();
  const double least = std::min(ge[which], 0.0);
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    if (!(ge[k] > old.tolerance[k] || (gb[k] > old.tolerance[k] && ge[k] >= least))) continue;
    if (g.kind == GuardKind::saturation) {
      if (!limits) prepare_saturations();
      limits = true;
      saturation_fired(g.saturation);
    } else if (contacts && g.flank < 0) {
      contacts->fired.push_back(g);
    } else {
      fire(r, g);
      stops = stops || (g.kind == GuardKind::slip_ends && sys.friction[g.friction].surface_travel < 0);
    }
  }
  if (contacts && !contacts->decide(time() + at, here(), contacts->fired, !late, a.x, now)) flag_late();
  plan = &plan_of(now);
  have_values = false;
  if (contacts) return meet_surfaces(a);
  if (stops && !sys.smooth) meet_surfaces(a);
  release_beyond();
  // Near a dead centre a residual velocity would need a large impulse: only for elements that stay at rest.
  if (stops && sys.smooth) meet_what_holds();
  came_from.setZero();
}

// Releases holding elements whose new forces exceed their limits, each at most once.
void RealTime::release_beyond() noexcept {
  for (Index round = 0; round <= sys.friction.size() && !plan->regime->sticking.empty(); ++round) {
    const Guard* first = furthest_beyond();
    if (first == nullptr) break;
    fire(*plan->regime, *first);
    plan = &plan_of(now);
    have_values = false;
  }
}

// No guard of these modes fires just after: the first nonzero of its value and first two derivatives is negative.
bool RealTime::lasts(const Modes& modes, const double* x) noexcept {
  constexpr double located = 1e3; // times the tolerance of a guard: error of event location
  const auto known = plans.find(modes);
  if (known == plans.end() || known->second->halves.empty()) return true;
  const RealTimePlan& next = *known->second;
  std::copy_n(x, sys.nx, e.x);
  std::copy_n(a.s, moving.size(), e.s);
  next.rate(e.x, slopes.data());
  for (Index j = 0; j < moving.size(); ++j) slopes(sys.nx + j) = a.change[j] / h;
  for (Index i = 0; i < sys.nx; ++i) b.x[i] = next.rate.linear_row(i, slopes.data());
  std::fill_n(b.s, moving.size(), 0.0);
  for (Index k = 0; k < next.tolerance.size(); ++k) {
    const double zero = located * next.tolerance[k];
    double value = next.guards.row(k, e.x);
    if (std::abs(value) <= zero) value = h * next.guards.linear_row(k, slopes.data());
    if (std::abs(value) <= zero) value = h * h * next.guards.linear_row(k, b.x);
    if (value > zero) return false;
  }
  return true;
}

// Mode change of the element of a guard.
void RealTime::fire(const Regime& r, const Guard& g) noexcept {
  switch (g.kind) {
  case GuardKind::slip_ends:
    return stop(g.friction);
  case GuardKind::breaks_away:
    if (const auto i = g.friction; sys.friction[i].surface_travel < 0 || moves_towards(i, g.direction))
      release(i, g.direction);
    else
      now.friction[i].hold = above_limit(g.direction);
    return;
  case GuardKind::surface_turns:
    return release(g.friction, g.direction);
  case GuardKind::shared_limit:
    return release_together(r, g);
  case GuardKind::touches:
  case GuardKind::leaves:
  case GuardKind::corner:
    return pass_corner(r, g);
  default: // there are no contacts here
    return switch_flow(sys, now, g, a.x);
  }
}

// Among elements that cannot hold, the one that exceeds its limits most: releasing it may relieve the others.
const Guard* RealTime::furthest_beyond() noexcept {
  const Regime& r = *plan->regime;
  if (!plan->curved.empty() && !have_values) forces_at_a();
  guards_at(a, 0.0, ge.data());
  const Guard* first = nullptr;
  double worst = 0.0;
  for (Index k = 0; k < r.guards.size(); ++k) {
    const Guard& g = r.guards[k];
    const bool rigid = g.kind == GuardKind::breaks_away && sys.friction[g.friction].surface_travel < 0;
    if (!(ge[k] > plan->tolerance[k]) || !(rigid || g.kind == GuardKind::shared_limit)) continue;
    const double beyond = ge[k] / plan->tolerance[k];
    if (first == nullptr || beyond > worst) worst = beyond, first = &g;
  }
  return first;
}

// A flank enters another segment, is released by its damper, or pushes again.
void RealTime::pass_corner(const Regime& r, const Guard& g) noexcept {
  FlankMode& mode = now.flank[g.flank];
  const FlankMode next = r.linear->flank_guards[g.flank_guard].next;
  if (mode != r.modes.flank[g.flank]) return; // another guard of this flank came first
  const bool entered = next.stretch != mode.stretch;
  mode = next;
  const double* const s = here();
  const Flank& flank = sys.flanks[g.flank];
  const Spring& p = system_here().springs[flank.spring];
  if (!entered || p.damping == 0.0 || !flank.lets_go(mode.stretch)) return;
  const double line = flank.line.value(mode.stretch, value(p.elongation, a.x, s));
  mode.loose = flank.side[mode.stretch] * (line + p.damping * value(p.rate, a.x, s)) < 0.0;
}

void RealTime::stop(Index i) noexcept {
  const double* const s = here();
  const Friction& p = system_here().friction[i];
  const double t = time() + at;
  const int was = now.friction[i].direction();
  const double N = normal_load(p, now.friction[i].load_stretch, a.x, s);
  if (p.velocity.x.dot(p.effect) == 0.0) { // at a dead centre its force has no effect on the motion
    change_mode(p, was, -was, 0.0, N, t, a.x);
    return enter(now.friction[i], p, slip(-was), a.x);
  }
  if (p.surface_travel < 0)
    start_clock(p, was, N, t, a.x);
  else
    change_mode(p, was, 0, 0.0, N, t, a.x);
  now.friction[i].enter(Mode::stick);
  came_from(i) = was; // previous mode
}

void RealTime::release_together(const Regime& r, const Guard& shared_limit) noexcept {
  for_each_leaving(r, shared_limit, [&](Index i, int side) { release(i, side); });
}

// A sticking element slides from here on. One that came to rest at this same instant only reverses and keeps its force.
void RealTime::release(Index i, int side) noexcept {
  if (!now.friction[i].sticks()) return;
  const double* s = here();
  const Friction& p = system_here().friction[i];
  const bool has_states = p.lagged >= 0 || p.peak >= 0;
  if (has_states && came_from(i) == 0.0)
    change_mode(p, 0, side, relative_velocity(p, a.x, s),
                normal_load(p, now.friction[i].load_stretch, a.x, s), time() + at, a.x);
  enter(now.friction[i], p, slip(side), a.x);
}

bool RealTime::moves_towards(Index i, int side) noexcept {
  const double* s = here();
  const Friction& p = system_here().friction[i];
  const double v = relative_velocity(p, a.x, s);
  if (std::abs(v) > velocity_tolerance(i)) return v * side > 0.0;
  f1.setZero();
  evaluate(sys, *plan->regime, time() + at, a.x, s, f1.data(), force.data(), w);
  return relative_acceleration(p, f1, full) * side >= 0.0;
}

} // namespace stickslip
