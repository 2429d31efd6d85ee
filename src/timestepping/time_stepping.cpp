#include "timestepping/time_stepping.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"
#include "model/relay_form.hpp"
#include "model/smooth.hpp"
#include "run/check.hpp"
#include "run/ending.hpp"
#include "run/growth.hpp"
#include "run/simulate.hpp"
#include "timestepping/scheme.hpp"
#include "transition/event.hpp"
#include "transition/transition.hpp"

#include <cmath>
#include <memory>

namespace stickslip {

namespace {

constexpr Index step_cost = 1000; // operations (see Budget) of a step without contacts

void refuse_what_it_cannot(const System& sys, const Options& o) {
  if (!std::isfinite(o.max_step))
    reject("max_step", o.max_step, "finite: it is the step of method 'time_stepping'");
  if (!sys.loops.empty()) reject("method", "'time_stepping' does not run controllers");
  if (sys.smooth && !sys.smooth->reactions.empty())
    reject("method", "'time_stepping' does not know the magnitude of two reactions, which loads '" +
                         sys.friction[sys.smooth->reactions.front().friction].name + "'");
  if (!sys.springs.empty())
    reject("method", "'time_stepping' does not run springs such as '" + sys.springs[0].name + "'");
  for (const Contact& c : sys.contacts)
    if (c.tangential_restitution)
      reject("method", "'time_stepping' does not know tangential_restitution, which '" + c.name + "' has");
  for (const Friction& p : sys.friction) {
    if (is_relay(p)) reject("method", "'time_stepping' does not run relays such as '" + p.name + "'");
    if (p.table_load > 0.0)
      reject("method", "'time_stepping' does not run load tables, which '" + p.name + "' has");
    if (p.traits.states > 0)
      reject("method", "'time_stepping' does not run laws with internal states, which '" + p.name + "' has");
    if (p.automaton != Automaton{})
      reject("method", "'time_stepping' does not run options of StickSlip, which '" + p.name + "' has");
  }
}

// The same of a run that has kept everything.
Trajectory keep_less(Trajectory run, Keep keep) {
  for (const Segment& s : run.segments)
    if (const std::pair<const Regime*, FlowKind> one{s.regime, s.kind};
        std::find(run.used.begin(), run.used.end(), one) == run.used.end())
      run.used.push_back(one);
  run.kept = keep;
  run.event_count = static_cast<std::int64_t>(run.events.rows.size());
  if (keep == Keep::segments) return run;
  run.segments.erase(run.segments.begin(), run.segments.end() - 1);
  run.t_begin = run.t_end;
  if (keep == Keep::nothing) run.events = {};
  return run;
}

// The loop of a run in steps of one length.
class FixedSteps {
public:
  FixedSteps(std::shared_ptr<Compiled> compiled, State from, const Options& settings)
      : sys(compiled->system), cache(compiled->regimes), options(settings), state(std::move(from)),
        tangent(sys.smooth ? std::make_unique<Tangent>(sys) : nullptr), scheme(sys, tangent.get(), settings),
        x1(sys.nx) {
    run.compiled = std::move(compiled);
    run.t_begin = state.t;
  }

  Trajectory all(const Stop& stop) {
    const Modes given = state.modes;
    try {
      const Budget budget(stop, options.max_time);
      if (!state.started) start();
      size_before = state.nominal;
      while (!ended && state.base_t != options.t_end) step();
    } catch (const BudgetExhausted& how) {
      if (!state.started) state.modes = given;
      Ending ending = ending_of(how, options, now(), static_cast<std::int64_t>(run.events.rows.size()));
      finish(ending.status, now(), std::move(ending.message));
    }
    if (!ended) finish(Status::finished, options.t_end, "reached t_end");
    return std::move(run);
  }

private:
  const System& sys;
  RegimeCache& cache;
  const Options& options;
  State state;
  std::unique_ptr<Tangent> tangent; // of a machine that is not linear
  Scheme scheme;
  Vector x1; // at the end of the step
  Vector size_before;
  Trajectory run;
  bool ended = false;
  List<Event> events;

  void start() {
    RegimeCache there;
    Transition transition(tangent ? tangent->system : sys, tangent ? there : cache, {}, tangent.get());
    const Jump& jump = transition.start(state, true);
    note(jump);
    state.started = true;
    if (!jump.decided)
      finish(Status::no_solution, state.base_t, "no admissible combination of modes was found at the start");
  }

  void step() {
    ++run.steps;
    Budget::spend(step_cost);
    const double t1 = state.base_t + options.max_step;
    if (!(t1 > state.base_t))
      return finish(Status::stalled, now(), "max_step is too small to advance the time");
    const Modes before = state.modes;
    const std::int64_t instant = state.instant;
    const auto undo = [&] { state.modes = before, state.instant = instant; };
    bool solved = false;
    try {
      solved = scheme.step(state, x1);
    } catch (const BudgetExhausted&) {
      undo();
      throw;
    }
    if (!solved) {
      const std::string growth = grown(sys, state.nominal, size_before);
      return finish(Status::no_solution, now(),
                    "the contact problem of a step has no solution" +
                        (growth.empty() ? growth : "; " + growth));
    }
    if (!within_numbers(x1)) {
      undo();
      return finish(Status::stalled, now(), leaves_numbers(sys, now(), state.base_x, x1, size_before));
    }
    keep(state.base_t, t1, options.max_step);
    if (t1 > options.t_end) { // the continued run repeats this step
      undo();
      return finish(Status::finished, options.t_end, "reached t_end");
    }
    note(scheme.jump);
    state.base_x = x1;
    state.base_t = t1;
    see(sys, state);
    if (const Index i = negative(); i >= 0)
      return finish(Status::failed, t1, negative_load(sys.friction[i], t1));
    if (static_cast<std::int64_t>(run.events.rows.size()) > options.max_events)
      finish(Status::budget, t1, exhausted_events(options, t1));
  }

  // An element whose load is negative by more than rounding; -1: none.
  Index negative() {
    if (!tangent || sys.smooth->loads.empty()) return -1;
    tangent->move_to(state.base_t, state.base_x.data(), {});
    const Vector sizes = tangent->formulas.load_sizes(state.nominal, state.time_scale);
    for (const Smooth::Value& load : sys.smooth->loads)
      if (tangent->formulas.load(load.signal) < -tolerance::product * sizes(load.signal)) return load.signal;
    return -1;
  }

  double now() const { return std::max(state.base_t, run.t_begin); }

  void note(const Jump& jump) {
    events.clear();
    append_events(sys, jump, state.instant, events);
    for (const Event& e : events) run.events.add(sys, e);
  }

  void keep(double t0, double t1, double length) {
    run.segments.push_back({t0, t1, length, &cache.get(sys, state.modes), run.coefficients.size(),
                            length > 0.0 ? 2 : 1, FlowKind::time_stepping});
    run.coefficients.insert(run.coefficients.end(), state.base_x.data(), state.base_x.data() + sys.nx);
    if (length == 0.0) return;
    const Vector change = x1 - state.base_x;
    run.coefficients.insert(run.coefficients.end(), change.data(), change.data() + sys.nx);
  }

  void finish(Status status, double t, std::string message) {
    ended = true;
    run.status = status;
    run.message = std::move(message);
    run.t_end = t;
    if (run.segments.empty() || state.base_t == t) keep(state.base_t, state.base_t, 0.0);
    state.t = t;
    state.x.resize(sys.nx);
    if (state.base_t == t)
      state.x = state.base_x;
    else
      run.state_at(run.segments.back(), t, state.x.data());
    if (tangent) tangent->keep_constraints(t, state.x);
    keep_constraints(sys, t, state.x.data());
    run.state = std::move(state);
  }
};

} // namespace

Trajectory time_stepping(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                         const Stop& stop) {
  validate(compiled->system, state, options);
  refuse_what_it_cannot(compiled->system, options);
  return keep_less(FixedSteps(std::move(compiled), std::move(state), options).all(stop), options.keep);
}

} // namespace stickslip
