#include "run/check.hpp"

#include "core/error.hpp"
#include "core/tolerances.hpp"
#include "dynamics/free.hpp"
#include "dynamics/tangent.hpp"
#include "model/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace stickslip {

namespace {

void count(const std::string& what, Index has, Index of_machine) {
  if (has != of_machine)
    reject("state", "belongs to another machine: it has " + std::to_string(has) + " " + what + ", this one " +
                        std::to_string(of_machine));
}
void count(const std::string& what, const Vector& has, Index of_machine) {
  count(what, has.size(), of_machine);
}

[[noreturn]] void damaged(const char* what) {
  reject("run", std::string("is damaged: its ") + what + " are inconsistent");
}
void demand(bool sound, const char* what) {
  if (!sound) damaged(what);
}

bool is_mode(Mode mode) {
  return mode >= Mode::slip_backward && mode <= Mode::low;
}

// Anti-windup modes exist only for controllers with an integral.
bool has_integrators(const System& sys, const Modes& modes) {
  for (const Loop& l : sys.loops)
    for (Index j = 0; l.saturation >= 0 && l.block.integrator < 0 && j < l.block.outputs(); ++j)
      if (std::abs(static_cast<int>(modes.saturation[l.saturation + j])) > 1) return false;
  return true;
}

void check_segments(const Trajectory& run) {
  const System& sys = run.system();
  demand(!run.segments.empty(), "segments");
  double before = -INFINITY;
  for (const Segment& seg : run.segments) {
    demand(seg.t0 >= before && seg.t1 >= seg.t0 && seg.h >= 0.0 && std::isfinite(seg.h), "segments");
    demand(seg.columns >= 1 && seg.kind >= FlowKind::exact && seg.kind <= FlowKind::slow_subspace,
           "segments");
    const auto size = seg.columns * sys.nx;
    demand(sys.nx == 0 || seg.columns <= run.coefficients.size(), "coefficients");
    demand(seg.offset <= run.coefficients.size() && size <= run.coefficients.size() - seg.offset,
           "coefficients");
    before = seg.t0;
  }
  for (const auto& [regime, kind] : run.used)
    demand(kind >= FlowKind::exact && kind <= FlowKind::slow_subspace, "kinds of flow");
}

void check_events(const Trajectory& run) {
  const System& sys = run.system();
  const Index elements = sys.friction.size() + sys.contacts.size() + sys.loops.size() + sys.springs.size();
  const auto number_of = [](std::int32_t k, Index size) { return k >= 0 && k < size; };
  double before = -INFINITY;
  for (const EventRow& e : run.events.rows) {
    demand(e.time >= before && number_of(e.element, elements), "events");
    demand(number_of(e.cause, run.events.causes.size()) && number_of(e.rule, run.events.rules.size()),
           "events");
    demand(is_mode(e.before) && is_mode(e.after), "events");
    const auto contact = e.element - sys.friction.size();
    demand(!e.impact || number_of(static_cast<std::int32_t>(contact), sys.contacts.size()), "events");
    before = e.time;
  }
}

} // namespace

namespace {

constexpr const char* cure =
    "a surface cannot pull: limit it by maximum(0, ...), or use add_contact, which can separate";

} // namespace

void check_formulas(const System& sys, const State& state) {
  if (!sys.smooth) return;
  Tangent at(sys);
  at.move_to(state);
  if (const std::string skew = at.asymmetry(); !skew.empty()) reject("mass", "is not allowed: " + skew);
  const Vector sizes = at.formulas.load_sizes(state.nominal, state.time_scale);
  for (const Smooth::Value& one : sys.smooth->loads) {
    const Friction& p = sys.friction[one.signal];
    const double load = at.formulas.load(one.signal);
    if (!(load < -tolerance::product * sizes(one.signal))) continue;
    std::ostringstream text;
    text << "of '" << p.name << "' is negative: it is " << load << " at t = " << state.base_t << ", but "
         << cure;
    reject("normal_load", text.str());
  }
}

std::string negative_load(const Friction& element, double t) {
  std::ostringstream text;
  text.precision(12);
  text << "the normal load of '" << element.name << "' becomes negative at t = " << t << " s, but " << cure;
  return text.str();
}

void check(const System& sys, const Modes& modes) {
  count("friction elements", modes.friction.size(), sys.friction.size());
  count("contacts", modes.contact.size(), sys.contacts.size());
  count("limits", modes.saturation.size(), sys.saturations);
  count("flanks of springs", modes.flank.size(), sys.flanks.size());
  count("corners of formulas", modes.sides.size(), sys.smooth ? sys.smooth->tape.conditions.size() : 0);
  const auto friction = [](const FrictionMode& one) {
    return one.mode >= Mode::slip_backward && one.mode <= Mode::open && one.hold >= Hold::by_limit &&
           one.hold <= Hold::after_backward && (!one.free || one.slips());
  };
  const auto contact = [](Mode one) { return one == Mode::open || one == Mode::closed; };
  const auto limit = [](Saturation one) {
    return one >= Saturation::low_following && one <= Saturation::high_following;
  };
  const auto force = [&](const ForceLimit& one) {
    return one.force >= 0 && one.force < sys.friction.size() + sys.contacts.size() && one.side >= -1 &&
           one.side <= 1;
  };
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (modes.friction[i].load_stretch < 0 ||
        modes.friction[i].load_stretch > sys.friction[i].load_corners.size())
      reject("state", "has segments of load tables that do not exist");
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (modes.friction[i].free && !can_be_free(sys, sys.friction[i]))
      reject("state", "has unloaded friction elements that are always loaded");
  for (Index k = 0; k < sys.flanks.size(); ++k)
    if (modes.flank[k].stretch < 0 || modes.flank[k].stretch >= sys.flanks[k].line.stretches.size())
      reject("state", "has segments of springs that do not exist");
  const bool open = modes.open.limits.empty() || (sys.smooth && modes.open.directions > 0);
  if (!std::all_of(modes.at_limit.begin(), modes.at_limit.end(), force) || !open ||
      !std::all_of(modes.open.limits.begin(), modes.open.limits.end(), force))
    reject("state", "has force limits that do not exist");
  if (!std::all_of(modes.friction.begin(), modes.friction.end(), friction) ||
      !std::all_of(modes.contact.begin(), modes.contact.end(), contact) ||
      !std::all_of(modes.saturation.begin(), modes.saturation.end(), limit) ||
      !std::all_of(modes.sides.begin(), modes.sides.end(), [](Sign s) { return s == 1 || s == -1; }) ||
      !has_integrators(sys, modes))
    reject("state", "has modes that do not exist");
}

namespace {

void whole(const char* what, bool sound) {
  if (!sound) reject("state", std::string("is damaged: its ") + what + " are inconsistent");
}

// Memory of elements with dead time: pieces in order, without a gap, back to one dead time ago.
void check_memory(const System& sys, const State& state) {
  const auto is_joint = [](int k) { return k >= 0 && k <= Past::smooth; };
  Index line = 0;
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    if (p.delayed < 0) continue;
    ++line;
    if (!state.started) continue;
    const List<Past::Piece>& pieces = state.past[line - 1].pieces;
    whole("memories", pieces.empty() == state.modes.friction[i].open());
    double before = -INFINITY;
    for (const Past::Piece& one : pieces) {
      const bool known =
          one.kind >= Past::Kind::rests && one.kind <= Past::Kind::moves && is_joint(one.joint);
      const bool numbers = std::isfinite(one.h) && one.h > 0.0 &&
                           std::all_of(one.c.begin(), one.c.end(), [](double c) { return std::isfinite(c); });
      whole("memories", known && numbers && one.start > before && one.start <= state.base_t);
      before = one.start;
    }
    whole("memories", pieces.empty() || pieces[0].start + p.automaton.dead_time <=
                                            state.base_t + tolerance::last_digits * std::abs(state.base_t));
  }
  whole("memories", is_joint(state.joint));
}

// Counts and times of the past, which nothing but a run has written.
void check_past(const System& sys, const State& state) {
  const auto within = [](auto low, auto high) { return [=](auto k) { return k >= low && k <= high; }; };
  whole("coefficients", std::all_of(state.zeros.begin(), state.zeros.end(), within(-1, INT8_MAX)));
  whole("counts of slips", std::all_of(state.slips.brief.begin(), state.slips.brief.end(), within(0, 10)));
  whole("times of break-away", (state.slips.left.array() <= state.base_t).all()); // false for NaN
  whole("counts", state.stiff >= 0 && state.stiff <= 1000 && state.instant >= 0);
  whole("steps", std::isfinite(state.step) && state.step >= 0.0 && std::isfinite(state.last_error) &&
                     state.last_error >= 0.0);
  whole("sizes", state.nominal.allFinite() && (state.nominal.array() >= 0.0).all() &&
                     state.seen.allFinite() && (state.seen.array() >= 0.0).all() &&
                     std::isfinite(state.time_scale) && state.time_scale > 0.0);
  whole("times", std::abs(state.base_t_compensation) <= tolerance::last_digits * std::abs(state.base_t));
  const SamplingState due = start_sampling(sys, state.t);
  const auto near = [&](const auto& instants, const auto& sound) {
    for (Index k = 0; k < std::ssize(instants); ++k)
      if (instants[k] < sound[k] - 2 || instants[k] > sound[k] + 2) return false;
    return true;
  };
  whole("sampling instants", near(state.sampling.next, due.next));
}

} // namespace

void check(const System& sys, const State& state) {
  if (state.identity != sys.identity)
    reject("state", "belongs to another machine: it is of " + state.identity.text + ", this one is " +
                        sys.identity.text);
  check(sys, state.modes);
  count("values", state.x, sys.nx);
  count("values at the start of its step", state.base_x, sys.nx);
  count("sizes", state.nominal, sys.nx);
  count("greatest values", state.seen, sys.nx);
  count("times of break-away", state.slips.left, sys.friction.size());
  count("counts of slips", state.slips.brief.size(), sys.friction.size());
  const auto has_dead_time = [](const Friction& p) { return p.delayed >= 0; };
  const Index memories = std::count_if(sys.friction.begin(), sys.friction.end(), has_dead_time);
  count("memories of dead time", state.past.size(), state.started ? memories : 0);
  const SamplingState fresh = start_sampling(sys, 0.0);
  count("sampling instants", state.sampling.next.size(), fresh.next.size());
  count("pending outputs", state.sampling.pending.size(), fresh.pending.size());
  count("sampled outputs", state.sampling.output, fresh.output.size());
  count("memory values", state.sampling.memory, fresh.memory.size());
  finite("t of the state", state.t);
  finite("base_t of the state", state.base_t);
  finite("base_t_compensation of the state", state.base_t_compensation);
  if (!(state.base_t <= state.t)) reject("state", "has a step that starts after its time");
  if (!state.x.allFinite() || !state.base_x.allFinite()) reject("state", "holds values that are not finite");
  check_past(sys, state);
  check_memory(sys, state);
}

void check(const Trajectory& run) {
  check(run.system(), run.state);
  demand(std::isfinite(run.t_begin) && std::isfinite(run.t_end) && run.t_begin <= run.t_end, "times");
  demand(run.kept >= Keep::segments && run.kept <= Keep::nothing, "keep");
  demand(run.status >= Status::finished && run.status <= Status::interrupted, "status");
  demand(run.steps >= 0 && run.evaluations >= 0 && run.event_count >= 0, "counts");
  check_segments(run);
  check_events(run);
}

} // namespace stickslip
