#include "run/run.hpp"

#include "dynamics/constraints.hpp"
#include "expression/text.hpp"
#include "friction/undefined_force.hpp"
#include "model/smooth.hpp"
#include "run/check.hpp"
#include "run/ending.hpp"
#include "run/growth.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace stickslip {

namespace {

constexpr double one_instant = 4e-16; // times closer than this, relative to themselves, are one
constexpr int most_transitions = 100, most_impacts = 10'000; // at one instant
constexpr Index step_cost = 1000;                            // operations (see Budget) of a short step

// Breakpoints and ticks that have been reached: a step that stops there to rounding.
double later_of_one_instant(double breakpoint, double tick) {
  const bool together = std::isfinite(tick) && std::abs(breakpoint - tick) <= one_instant * std::abs(tick);
  return together ? std::max(breakpoint, tick) : std::min(breakpoint, tick);
}

} // namespace

Runner::Runner(const System& system, RegimeCache& c, const Options& o)
    : here(system.smooth ? std::make_unique<Tangent>(system) : nullptr), machine(system), kept(c),
      sys(here ? here->system : system), cache(here ? own : c), options(o), stepper(sys, o),
      transition(sys, cache, {o.rebound_threshold, o.rtol}, here.get()), probe(sys), end(system.nx) {}

// The regime of the same modes that lasts as long as the machine.
const Regime& Runner::lasting(const Regime& r) {
  return here ? kept.get(machine, r.modes) : r;
}

// Rows and columns as they are in the present state.
void Runner::look() {
  if (!here) return;
  here->move_to(*state);
  here->size_accelerations();
  if (here->bare() && regime != nullptr) return;
  cache.clear();
  regime = nullptr;
}

void Runner::signals_changed() {
  stepper.signals_changed();
  transition.signals_changed();
}

Outcome Runner::run(State& of, Recorder& by, const Stop& asks) {
  begin(of, by);
  try {
    const Budget budget(asks, options.max_time);
    if (!state->started) start();
    while (!ended) go_on();
  } catch (const BudgetExhausted& how) {
    give_up(how);
    if (how.stopped) return std::move(out); // a regime may be missing, and the motion is no longer needed
  }
  leave_state();
  return std::move(out);
}

// One step, and the decision at its end.
void Runner::go_on() {
  ++out.steps;
  Budget::spend(step_cost);
  const double limit = next_instant();
  const double proposed = state->step, last_error = state->last_error;
  const int stiff = state->stiff;
  advance(limit);
  if (ended) return;
  record();
  if (arrival.t > options.t_end) { // the continued run repeats this step from the same proposal
    state->step = proposed, state->last_error = last_error, state->stiff = stiff;
    finish(Status::finished, options.t_end, "reached t_end");
  } else if (arrive()) {
    change();
  }
}

// The run ends where it was before the decision that has not been made.
void Runner::give_up(const BudgetExhausted& how) {
  transition.take_back(*state);
  const double t = std::max(state->base_t, t_begin);
  Ending ending = ending_of(how, options, t, out.events);
  finish(ending.status, t, std::move(ending.message));
}

void Runner::begin(State& of, Recorder& by) {
  state = &of, recorder = &by;
  out = {};
  ended = false;
  t_begin = of.t;
  size_before = of.nominal;
  evaluated = stepper.evaluations;
  timeless = stepper.autonomous() && !transition.samples() && !stepper.delays.any();
  regime = nullptr;
  breakpoint = -INFINITY;
  transitions_at_one_time = impacts_at_one_time = 0;
  recorded = {};
  notes.clear();
  beyond.resize(0);
}

namespace {

// Message if no combination of modes holds.
std::string without_answer(const System& sys, const Jump& jump, const std::string& when) {
  constexpr Index most_names = 8;
  if (!jump.undefined.empty()) return jump.undefined + when;
  if (jump.facing >= 0) {
    const Tape& tape = sys.smooth->tape;
    return "a formula jumps where " + text(tape, tape.conditions[jump.facing]) +
           " passes zero, and the motion on both sides leads back there" + when +
           ": a formula cannot represent stick; use add_friction";
  }
  std::string said = "no admissible combination of modes was found" + when;
  said += jump.none_exists ? "; all were tried: there is none" : "; not proven: there may be one";
  if (jump.unresisting >= 0)
    said +=
        "; modes were refused in which the sliding gain of '" + sys.contacts[jump.unresisting].name +
        "' is zero: with its friction the contact has no resistance, and its normal force is indeterminate";
  if (jump.touching.empty()) return said;
  said += "; touching:";
  for (Index k = 0; k < std::min(jump.touching.size(), most_names); ++k)
    said += (k == 0 ? " " : ", ") + sys.contacts[jump.touching[k]].name;
  return said + (jump.touching.size() > most_names ? ", ..." : "");
}

Status status_of(const Jump& undecided) {
  return undecided.undefined.empty() ? Status::no_solution : Status::failed;
}

// Constraints that can take each other's force.
std::string shared_by(const Constraints& c) {
  std::string names;
  for (const Constraint& one : c.all)
    if (!one.unique) names += (names.empty() ? "'" : ", '") + one.name + "'";
  return names.empty() ? names
                       : "; forces of " + names + " are not unique: the solution of least norm is shown";
}

} // namespace

// Sampled blocks and modes at the start, with impacts that make its velocities consistent.
void Runner::start() {
  end = state->base_x;
  look();
  if (const std::string what = undefined(); !what.empty()) {
    finish(Status::failed, state->base_t, "the motion is undefined at the start: " + what);
    return;
  }
  note(false, false);
  const State given = *state;
  const Jump& jump = [&]() -> const Jump& {
    try {
      return transition.start(*state, true);
    } catch (const BudgetExhausted&) {
      *state = given;
      throw;
    }
  }();
  if (recorder->notes()) recorder->passed(noted, jump);
  state->started = true;
  stepper.delays.start(*state);
  if (!still_finite()) return;
  tell(jump);
  for (const auto& [contact, depth] : jump.overlaps) {
    std::ostringstream text;
    text << "; '" << sys.contacts[contact].name << "' overlapped by " << depth
         << " m at the start, which was removed as a rounding error";
    notes += text.str();
  }
  notes += shared_by(sys.constraints);
  if (!jump.decided) finish(status_of(jump), state->base_t, without_answer(sys, jump, " at the start"));
}

// The next breakpoint of a signal, sampling instant, or return of a jump one dead time ago; infinite if there is none.
double Runner::next_instant() {
  if (!(breakpoint > state->base_t)) {
    breakpoint = INFINITY;
    for (const Signal& s : sys.signals) breakpoint = std::min(breakpoint, next_breakpoint(s, state->base_t));
  }
  next_tick = transition.next_tick(*state);
  const double scheduled = later_of_one_instant(breakpoint, next_tick);
  return stepper.delays.any() ? later_of_one_instant(scheduled, stepper.delays.next(*state)) : scheduled;
}

// Formula of a friction law that is undefined at the state.
static std::string undefined_law(const System& sys, const State& state, Tangent* here) {
  const double* const x = state.base_x.data();
  Vector s(sys.ns());
  signal_values(sys, state.base_t, s.data());
  if (here != nullptr) here->write(s.data());
  for (Index i = 0; i < sys.friction.size(); ++i) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = state.modes.friction[i];
    if (!p.traits.searches || now.open() || now.free || now.sticks()) continue;
    const std::string what = undefined_force(p.law, relative_velocity(p, x, s.data()), now.direction(),
                                             normal_load(p, now.load_stretch, x, s.data()),
                                             p.states >= 0 ? x + p.states : nullptr);
    if (!what.empty()) return "law of '" + p.name + "': " + what;
  }
  return {};
}

// Element of a nonlinear machine that is undefined at the state or just after it.
std::string Runner::undefined() {
  if (std::string what = undefined_law(sys, *state, here.get()); !what.empty() || !here) return what;
  constexpr double just = 1e-6; // of the time scale
  look();
  if (std::string what = here->complaint(); !what.empty()) return what;
  const double tau = just * state->time_scale;
  const Index n = sys.n_coordinates;
  Vector ahead = state->base_x;
  ahead.head(n) += tau * ahead.segment(n, n);
  here->move_to(state->base_t + tau, ahead.data(), state->modes.sides);
  std::string what = here->complaint();
  look();
  return what;
}

// One step of the flow, up to `limit`.
void Runner::advance(double limit) {
  look();
  if (!regime || regime->modes != state->modes) regime = &cache.get(sys, state->modes);
  stepper.take(*regime, *state, limit, step);
  reach(limit);
  if (!within_numbers(end)) shorten();
  if (regime->coupled && !regime->affine && !ended) stay_before_jam();
  if (ended || !step.fired.empty() || arrival.t > state->base_t) return;
  if (jams(state->base_t, state->base_x))
    return finish(Status::no_solution, std::max(state->base_t, t_begin), why(jam()));
  std::string what = undefined();
  if (what.empty() && here) what = here->steepness();
  finish(
      Status::stalled, std::max(state->base_t, t_begin),
      why(what.empty()
              ? "the step became too small to advance the time: the motion is too steep for double precision"
              : "the motion cannot continue: " + what));
}

// Time and state at the end of the step.
void Runner::reach(double limit) {
  const double t0 = state->base_t;
  double tau = step.end * step.h, rest = 0.0, t1 = t0 + tau;
  if (timeless) {
    const double length = tau + state->base_t_compensation;
    t1 = t0 + length;
    const double back = t1 - t0;
    rest = (t0 - (t1 - back)) + (length - back);
  } else if (step.end != 1.0) {
    tau = t1 - t0; // signals go by the time that is kept
  }
  const bool at_limit = std::isfinite(limit) && t1 >= limit - one_instant * std::abs(limit);
  if (at_limit) {
    t1 = limit, rest = 0.0;
    if (step.end != 1.0) tau = (t1 - t0) - state->base_t_compensation;
    // A force that reaches its limit exactly at a breakpoint of a signal may reverse there: its value just after the
    // breakpoint decides, as for all others at this instant.
    std::erase_if(step.fired, [](const Guard& g) {
      return g.kind == GuardKind::breaks_away || g.kind == GuardKind::shared_limit ||
             g.kind == GuardKind::sharing_changes;
    });
  }
  arrival = {t1, rest, tau, at_limit};
  if (step.stride != nullptr && tau != step.h) stepper.write_out(step);
  if (step.stride != nullptr)
    std::copy_n(step.stride->end(), sys.nx, end.data());
  else if (step.h > 0.0)
    stepper.state_at(step, tau, end.data());
  else
    end = state->base_x;
}

// In place of the step its longest part whose end is good, to a thousandth of it; false where none is.
template <class Good> bool Runner::take_longest_part(int rounds, Good&& is_good) {
  constexpr double close = 1e-3;
  const double t0 = state->base_t;
  const auto take = [&](double part) {
    stepper.take(*regime, *state, t0 + part, step);
    reach(INFINITY);
  };
  double good = 0.0, bad = step.h;
  for (int round = 0; round < rounds && bad - good > close * good; ++round) {
    const double middle = 0.5 * (good + bad);
    if (!(t0 + middle > t0)) break;
    take(middle);
    (is_good() ? good : bad) = middle;
  }
  if (good > 0.0) take(good);
  return good > 0.0;
}

// The step leads beyond all numbers: as far as it does not.
void Runner::shorten() {
  constexpr int rounds = 1100; // halvings from the greatest number to the smallest
  const auto is_good = [&] {
    const bool good = within_numbers(end);
    if (!good) beyond = end;
    return good;
  };
  beyond = end;
  if (!take_longest_part(rounds, is_good))
    no_longer_finite();
  else if (!step.fired.empty())
    beyond.resize(0); // the event may change the states concerned
}

// Sliding gain of contacts with their friction; 1 without coupling.
double Runner::coupling(double t, const Vector& x) {
  if (regime == nullptr || !regime->coupled) return 1.0;
  Vector s(sys.ns());
  signal_values(sys, t, s.data());
  return stickslip::coupling(sys, *regime, t, x.data(), s.data(), probe);
}

namespace {

constexpr double no_coupling = 1e-6,     // below this it counts as zero
    known_coupling = 1e-3 * no_coupling; // below this rounding decides the force and its sign

} // namespace

bool Runner::jams(double t, const Vector& x) {
  return std::abs(coupling(t, x)) < no_coupling;
}

// Message of a jamming contact, if there is one.
std::string Runner::jam() {
  Vector s(sys.ns());
  signal_values(sys, state->base_t, s.data());
  probe.xdot.setZero();
  evaluate(sys, *regime, state->base_t, state->base_x.data(), s.data(), probe.xdot.data(), probe.force.data(),
           probe);
  Index which = -1;
  for (const Index j : regime->closed) {
    const Index at = sys.friction.size() + j;
    if (which < 0 || probe.force(at) > probe.force(sys.friction.size() + which)) which = j;
  }
  return "the normal force of '" + sys.contacts[which].name +
         "' grows without bound: with its friction the contact no longer resists (Painleve, A = b = 0)";
}

// If the sliding gain tends to zero normal forces grow without bound, possibly so slowly that a step crosses the zero:
// steps end before it, at decreasing distances.
void Runner::stay_before_jam() {
  constexpr int rounds = 60;
  if (state->after_transition || side == 0.0) // else as it was
    side = std::copysign(1.0, coupling(state->base_t, state->base_x));
  const auto before_jam = [&] { return coupling(arrival.t, end) * side > known_coupling; };
  if (!before_jam() && !take_longest_part(rounds, before_jam))
    finish(Status::no_solution, std::max(state->base_t, t_begin), why(jam()));
}

// A surface cannot pull: the run ends where a load that a formula gives becomes negative.
bool Runner::ends_at_negative_load() {
  const auto at = std::find_if(step.fired.begin(), step.fired.end(),
                               [](const Guard& g) { return g.kind == GuardKind::load_negative; });
  if (at == step.fired.end()) return false;
  const double t = std::max(state->base_t, t_begin);
  finish(Status::failed, t, why(negative_load(sys.friction[at->friction], t)));
  return true;
}

void Runner::record() {
  const bool ends_within = arrival.t > options.t_end,
             asked = recorder->motion() && !recorder->takes_strides();
  if (step.stride != nullptr && (ends_within || asked)) stepper.write_out(step);
  const auto tell = [&](double a, double b, const Step& part) {
    recorder->segment(lasting(*regime), a, b, part, stepper.C);
  };
  if (step.columns > 0 || !recorder->motion())
    tell(state->base_t, arrival.t, step);
  else
    polynomials(arrival.t, tell);
  recorded = {true, state->base_t, state->base_t_compensation};
}

template <class Use> void Runner::polynomials(double t1, Use&& use) {
  if (step.columns > 0) {
    use(state->base_t, t1, step);
    return;
  }
  double t = state->base_t;
  for (double offset = 0.0; t < t1 && t <= options.t_end;) {
    const Step part = stepper.expand(step, offset);
    offset += part.h;
    const double next = offset < step.h ? std::min(state->base_t + offset, t1) : t1;
    if (next > t) use(t, next, part);
    t = next;
  }
}

// Projects held gaps and velocities, in the modes of the present step, after a step of finite accuracy.
void Runner::meet_constraints(Vector& x, double t) {
  if (here) here->project(t, x, state->modes);
  keep_constraints(machine, t, x.data());
}

// Moves the state to the end of the step. False if the run ends there.
bool Runner::arrive() {
  const double before = state->base_t;
  if (arrival.t > before) transitions_at_one_time = impacts_at_one_time = 0;
  if (arrival.t > before) stepper.delays.record(*state, step.h, stepper.C);
  state->base_x = end;
  state->base_t = arrival.t, state->base_t_compensation = arrival.rest;
  if (stepper.delays.any()) returned = stepper.delays.arrive(*state, before);
  state->after_transition = false;
  meet_constraints(state->base_x, state->base_t);
  parted = here && here->parts(state->modes, state->base_x, state->nominal);
  see(sys, *state);
  if (beyond.size() > 0 && arrival.t < options.t_end) no_longer_finite();
  return !ended;
}

// True for too many transitions at one instant. Impacts that dissipate energy end, between walls after many.
bool Runner::goes_round(bool loses) {
  return loses ? ++impacts_at_one_time > most_impacts : ++transitions_at_one_time > most_transitions;
}

// Ticks, then whatever the guards or a breakpoint call for.
void Runner::change() {
  const bool event = !step.fired.empty() || parted;
  if (!event && !arrival.at_limit) return;
  if (ends_at_negative_load()) return;
  const double t = state->base_t;
  if (event && jams(t, state->base_x)) return finish(Status::no_solution, t, why(jam()));
  const bool returns = returned < Past::smooth, ticks = next_tick <= t + one_instant * std::abs(t);
  if (!event && returns && returned > 0 && !ticks && breakpoint > t) return; // no force jumps
  if (stepper.delays.any()) modes_before = state->modes;
  const bool breaks = breakpoint <= state->base_t || returns;
  note(arrival.at_limit, breaks);
  const Jump& jump = arrival.at_limit ? transition.scheduled(*state, step.fired, breaks, regime)
                                      : transition.after(*regime, *state, step.fired);
  if (recorder->notes()) recorder->passed(noted, jump);
  if (here) regime = nullptr; // its rows have turned
  if (jump.changed) state->last_error = 0.0;
  if (stepper.delays.any()) // ticks change forces, events and breakpoints of surfaces velocities
    stepper.delays.change(*state, modes_before, event || breakpoint <= t ? 0 : ticks ? 1 : Past::smooth);
  if (jump.next != nullptr) regime = jump.next;
  if (!still_finite()) return;
  tell(jump);
  if (!jump.decided)
    finish(status_of(jump), t, why(without_answer(sys, jump, "")));
  else if (event && goes_round(jump.loses))
    finish(Status::stalled, t, why("more than 100 transitions at one instant"));
  else if (out.events > options.max_events)
    finish(Status::budget, t, exhausted_events(options));
  else if (t == options.t_end)
    finish(Status::finished, t, "reached t_end");
}

void Runner::note(bool scheduled, bool breakpoint_here) {
  if (!recorder->notes()) return;
  noted.before = *state;
  noted.fired = step.fired;
  noted.scheduled = scheduled;
  noted.breakpoint = breakpoint_here;
}

void Runner::tell(const Jump& jump) {
  events.clear();
  append_events(sys, jump, state->instant, events);
  if (events.empty()) return;
  out.events += static_cast<std::int64_t>(events.size());
  recorder->events(events);
}

// Checks the state after sampling or impacts; restores it if it is not finite.
bool Runner::still_finite() {
  if (within_numbers(state->base_x)) return true;
  beyond = std::exchange(state->base_x, end);
  no_longer_finite();
  return false;
}

void Runner::no_longer_finite() {
  const double t = std::max(state->base_t, t_begin);
  finish(Status::stalled, t, leaves_numbers(sys, t, state->base_x, beyond, size_before));
}

// Message of a run that cannot continue, with the state that has grown out of proportion, if any.
std::string Runner::why(std::string text) const {
  if (too_large_to_square(state->base_x))
    return leaves_numbers(sys, state->base_t, state->base_x, Vector::Constant(sys.nx, INFINITY), size_before);
  if (const std::string growth = grown(sys, state->nominal, size_before); !growth.empty())
    text += "; " + growth;
  return text;
}

void Runner::finish(Status status, double t, std::string message) {
  out.status = status;
  out.message = std::move(message) + notes;
  reached = t;
  ended = true;
}

// The state at the end of the run, and the segment that holds there.
void Runner::leave_state() {
  out.evaluations = stepper.evaluations - evaluated;
  state->t = reached;
  if (recorded.any && state->base_t != reached) { // the end lies within the present step
    if (!recorder->motion())
      polynomials(state->base_t + step.end * step.h, [&](double a, double b, const Step& part) {
        recorder->last(lasting(*regime), a, b, part, stepper.C);
      });
    state->x.resize(sys.nx);
    stepper.state_at(step, (reached - recorded.t0) - recorded.rest, state->x.data());
    meet_constraints(state->x, reached);
    return;
  }
  if (state->base_t == reached) { // else nothing has been done
    state->x = state->base_x;
    meet_constraints(state->x, reached);
  }
  step.h = 0.0;
  step.columns = 1;
  step.stride = nullptr;
  stepper.C.col(0) = state->x;
  const Regime& r = kept.get(machine, state->modes);
  recorder->segment(r, reached, reached, step, stepper.C);
  recorder->last(r, reached, reached, step, stepper.C);
}

} // namespace stickslip
