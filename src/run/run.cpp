#include "run/run.hpp"

#include "dynamics/constraints.hpp"
#include "run/check.hpp"
#include "run/ending.hpp"
#include "run/growth.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace stickslip {

namespace {

constexpr int most_transitions = 100, most_impacts = 10'000; // at one instant
constexpr Index step_cost = 1000;                            // operations (see Budget) of a short step

} // namespace

Runner::Runner(const System& system, RegimeCache& cache, const Options& o)
    : options(o), machine(system, cache), stepper(machine.sys, o),
      transition(machine.sys, machine.cache, {o.rebound_threshold, o.rtol}, machine.tangent()),
      schedule(machine.sys, transition, stepper.delays()), jam(machine.sys),
      advance(machine, stepper, jam, o), conclusion(machine.sys) {}

void Runner::signals_changed() {
  stepper.signals_changed();
  transition.signals_changed();
}

Outcome Runner::run(State& of, Recorder& by, const Stop& asks) {
  begin(of, by);
  return within_budget(asks, [this] {
    if (!state->started) start();
  });
}

double Runner::next_instant(const State& of) {
  schedule.begin();
  return schedule.next(of);
}

Outcome Runner::decide(State& of, double t, const Vector& x, const List<Guard>& fired, Recorder& by) {
  begin(of, by);
  return within_budget({}, [&] {
    const double limit = schedule.next(of);
    machine.enter(of);
    advance.reach(t, x, fired, t >= limit);
    if (!arrive()) return;
    machine.close_gaps(of, fired);
    change();
  });
}

// The first instant, then step by step to the end.
Outcome Runner::within_budget(const Stop& asks, const std::function<void()>& first) {
  try {
    const Budget budget(asks, options.max_time);
    first();
    while (!conclusion.ended) go_on();
  } catch (const BudgetExhausted& how) {
    give_up(how);
    if (how.stopped)
      return std::move(conclusion.out); // a regime may be missing, and the motion is no longer needed
  }
  leave_state();
  return std::move(conclusion.out);
}

// One step, and the decision at its end.
void Runner::go_on() {
  ++conclusion.out.steps;
  Budget::spend(step_cost);
  const double limit = schedule.next(*state);
  const double proposed = state->step, last_error = state->last_error;
  const int stiff = state->stiff;
  if (const Advance::Halt why = advance.take(*state, limit); why != Advance::Halt::none) return halt(why);
  log.segment(machine, stepper, advance, *state, options.t_end);
  if (advance.arrival.t > options.t_end) { // the continued run repeats this step from the same proposal
    state->step = proposed, state->last_error = last_error, state->stiff = stiff;
    conclusion.finish(Status::finished, options.t_end, "reached t_end");
  } else if (arrive()) {
    change();
  }
}

void Runner::begin(State& of, Recorder& by) {
  state = &of;
  log.begin(by);
  conclusion.begin(of);
  evaluated = stepper.evaluations();
  advance.begin(stepper.autonomous() && !transition.samples() && !stepper.delays().any());
  machine.regime = nullptr;
  schedule.begin();
  transitions_at_one_time = impacts_at_one_time = 0;
}

namespace {

// Constraints that can take each other's force.
std::string shared_by(const Constraints& c) {
  std::string names;
  for (const Constraint& one : c.all)
    if (!one.unique) names += (names.empty() ? "'" : ", '") + one.name + "'";
  return names.empty() ? names
                       : "; forces of " + names + " are not unique: the solution of least norm is shown";
}

std::string notes_of_start(const System& sys, const Jump& jump) {
  std::ostringstream text;
  for (const auto& [contact, depth] : jump.overlaps)
    text << "; '" << sys.contacts[contact].name << "' overlapped by " << depth
         << " m at the start, which was removed as a rounding error";
  return text.str() + shared_by(sys.constraints);
}

} // namespace

// Sampled blocks and modes at the start, with impacts that make its velocities consistent.
void Runner::start() {
  advance.end = state->base_x;
  machine.move_to(*state);
  if (const std::string what = machine.undefined(*state); !what.empty())
    return conclusion.finish(Status::failed, state->base_t, "the motion is undefined at the start: " + what);
  log.before(*state, advance.step.fired, false, false);
  const State given = *state;
  const Jump& jump = [&]() -> const Jump& {
    try {
      return transition.start(*state, true);
    } catch (const BudgetExhausted&) {
      *state = given;
      throw;
    }
  }();
  log.passed(jump);
  state->started = true;
  stepper.delays().start(*state);
  if (!still_finite()) return;
  conclusion.out.events += log.emit(machine.sys, jump, *state);
  conclusion.note(notes_of_start(machine.sys, jump));
  if (!jump.decided) conclusion.fail_undecided(jump, *state, true);
}

// Moves the state to the end of the step. False if the run ends there.
bool Runner::arrive() {
  const double before = state->base_t;
  if (advance.arrival.t > before) {
    transitions_at_one_time = impacts_at_one_time = 0;
    stepper.delays().record(*state, advance.step.h, stepper.C);
  }
  state->base_x = advance.end;
  state->base_t = advance.arrival.t, state->base_t_compensation = advance.arrival.rest;
  if (stepper.delays().any()) returned = stepper.delays().arrive(*state, before);
  state->after_transition = false;
  machine.meet_constraints(state->modes, state->base_t, state->base_x);
  parted = machine.parts(*state);
  see(machine.sys, *state);
  if (advance.beyond.size() > 0 && state->base_t < options.t_end)
    conclusion.no_longer_finite(*state, advance.beyond);
  return !conclusion.ended;
}

// Sampling, then whatever the guards or a breakpoint call for.
void Runner::change() {
  const List<Guard>& fired = advance.step.fired;
  const bool event = !fired.empty() || parted, at_limit = advance.arrival.at_limit;
  if (!event && !at_limit) return;
  if (ends_at_negative_load()) return;
  const double t = state->base_t;
  if (event && jam.is_at(machine.regime, t, state->base_x)) return halt(Advance::Halt::jam);
  const bool returns = returned < Past::smooth, breaks = schedule.breaks(t);
  if (!event && returns && returned > 0 && !schedule.samples(t) && !breaks) return; // no force jumps
  log.before(*state, fired, at_limit, breaks || returns);
  if (stepper.delays().any()) modes_before = state->modes;
  const Jump& jump = at_limit ? transition.scheduled(*state, fired, breaks || returns, machine.regime)
                              : transition.after(*machine.regime, *state, fired);
  log.passed(jump);
  if (stepper.delays()
          .any()) { // sampling instants change forces; events and breakpoints change velocities, too
    const int lowest = event || breaks ? 0 : schedule.samples(t) ? 1 : Past::smooth;
    stepper.delays().change(*state, modes_before, lowest);
  }
  follow(jump, event);
}

// The run goes on behind an instant, or ends there.
void Runner::follow(const Jump& jump, bool event) {
  machine.turned();
  if (jump.changed) state->last_error = 0.0;
  if (jump.next != nullptr) machine.regime = jump.next;
  if (!still_finite()) return;
  conclusion.out.events += log.emit(machine.sys, jump, *state);
  const double t = state->base_t;
  if (!jump.decided)
    conclusion.fail_undecided(jump, *state, false);
  else if (event && goes_round(jump.loses))
    conclusion.fail(Status::stalled, *state, "more than 100 transitions at one instant");
  else if (conclusion.out.events > options.max_events)
    conclusion.finish(Status::budget, t, exhausted_events(options, t));
  else if (t == options.t_end)
    conclusion.finish(Status::finished, t, "reached t_end");
}

// A surface cannot pull: the run ends where a load that a formula gives becomes negative.
bool Runner::ends_at_negative_load() {
  const List<Guard>& fired = advance.step.fired;
  const auto at = std::find_if(fired.begin(), fired.end(),
                               [](const Guard& g) { return g.kind == GuardKind::load_negative; });
  if (at == fired.end()) return false;
  const Friction& element = machine.sys.friction[at->friction];
  conclusion.fail(Status::failed, *state, negative_load(element, conclusion.time_of(*state)));
  return true;
}

// True for too many transitions at one instant. Impacts that dissipate energy end, between walls after many.
bool Runner::goes_round(bool loses) {
  return loses ? ++impacts_at_one_time > most_impacts : ++transitions_at_one_time > most_transitions;
}

// Checks the state after sampling or impacts; restores it if it is not finite.
bool Runner::still_finite() {
  if (within_numbers(state->base_x)) return true;
  advance.beyond = std::exchange(state->base_x, advance.end);
  conclusion.no_longer_finite(*state, advance.beyond);
  return false;
}

void Runner::halt(Advance::Halt why) {
  if (why == Advance::Halt::not_finite) return conclusion.no_longer_finite(*state, advance.beyond);
  if (why == Advance::Halt::jam)
    return conclusion.fail(Status::no_solution, *state, jam.message(*machine.regime, *state));
  std::string what = machine.undefined(*state);
  if (what.empty()) what = machine.steepness(*state);
  conclusion.fail(
      Status::stalled, *state,
      what.empty()
          ? "the step became too small to advance the time: the motion is too steep for double precision"
          : "the motion cannot continue: " + what);
}

// The run ends where it was before the decision that has not been made.
void Runner::give_up(const BudgetExhausted& how) {
  transition.take_back(*state);
  const double t = conclusion.time_of(*state);
  Ending ending = ending_of(how, options, t, conclusion.out.events);
  conclusion.finish(ending.status, t, std::move(ending.message));
}

// The state at the end of the run, and the segment that holds there.
void Runner::leave_state() {
  conclusion.out.evaluations = stepper.evaluations() - evaluated;
  const double t = state->t = conclusion.t;
  if (log.any() && state->base_t != t) { // the end lies within the present step
    log.last(machine, stepper, advance, *state);
    state->x.resize(machine.sys.nx);
    stepper.state_at(advance.step, log.since_start(t), state->x.data());
    machine.meet_constraints(state->modes, t, state->x);
    return;
  }
  if (state->base_t == t) { // else nothing has been done
    state->x = state->base_x;
    machine.meet_constraints(state->modes, t, state->x);
  }
  Step& step = advance.step;
  step.h = 0.0;
  step.columns = 1;
  step.stride = nullptr;
  stepper.C.col(0) = state->x;
  log.end(machine.lasting(state->modes), t, step, stepper.C);
}

} // namespace stickslip
