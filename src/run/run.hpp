// The loop of a run: step, transition, repeat. What becomes of segments and events is the recorder's
// business, so that long runs and ensembles need not keep them.
#pragma once

#include "dynamics/state.hpp"
#include "flow/stepper.hpp"
#include "transition/quick_transition.hpp"
#include "transition/sampler.hpp"
#include "transition/transition.hpp"

#include <chrono>
#include <cmath>
#include <functional>
#include <string>

namespace stickslip {

struct Outcome {
  Status status = Status::finished;
  const char* message = "";
  std::int64_t steps = 0, evaluations = 0, events = 0;
};

// A recorder has
//   void segment(const Regime&, double t0, double t1, const Step&, const Matrix& C): the motion over [t0, t1],
//     perhaps beyond the end of the run; t0 == t1: a state that held for no time
//   void last(the same): the segment that holds at the end once more
//   bool motion() const: whether it looks at C; else step.columns may be 0
//   void events(std::vector<Event>&): may be moved from
// The runner is sized once and serves many runs of the same system.
class Runner {
public:
  Runner(const System& sys, RegimeCache& cache, const Options& options);

  // From state.t to options.t_end; `state` becomes that at the end, state.t the time that was reached.
  template <class Recorder> Outcome run(State& state, Recorder& recorder, const std::function<bool()>& stop);

  // Constant signals of the system have got new values.
  void signals_changed();

private:
  const System& sys;
  RegimeCache& cache;
  const Options& options;
  Sampler sampler;
  Stepper stepper;
  QuickTransition quick;
  Transition transition;
  Step step;
  TransitionLog log;
  Vector end;

  double next_kink(double t) const;
  // The step from `state` to t1 in polynomials, as far as the end of the run: use(t0, t1, step).
  template <class Use> void polynomials(const Regime& r, const State& state, double t1, Use&& use);
};

template <class Use> void Runner::polynomials(const Regime& r, const State& state, double t1, Use&& use) {
  if (step.columns > 0) {
    use(state.base_t, t1, step);
    return;
  }
  double t = state.base_t;
  for (double offset = 0.0; t < t1 && t <= options.t_end;) {
    const Step part = stepper.expand(r, state, step, offset);
    offset += part.h;
    const double next = offset < step.h ? std::min(state.base_t + offset, t1) : t1;
    if (next > t) use(t, next, part);
    t = next;
  }
}

template <class Recorder>
Outcome Runner::run(State& state, Recorder& recorder, const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const double t_begin = state.t;
  Outcome out;
  log.status = TransitionStatus::decided;
  log.events.clear();
  if (!state.started) {
    if (sampler.due(state, state.base_t)) sampler.run(state, nullptr);
    transition.decide(state, {}, true, log);
    out.events += static_cast<std::int64_t>(
        log.events.size()); // impacts that make the velocities at the start consistent
    recorder.events(log.events);
    state.started = true;
  }
  const Regime* current = nullptr;
  const std::int64_t evaluated = stepper.evaluations;
  bool any = false;                      // a segment was recorded
  double last_t0 = 0.0, last_rest = 0.0; // its start
  const bool timeless = stepper.autonomous() && !sampler.any();

  auto finish = [&](Status status, double t, const char* message) {
    out.status = status;
    out.message = message;
    out.evaluations = stepper.evaluations - evaluated;
    if (!any || state.base_t == t) { // the state after the last event, as a segment of no length
      step.h = 0.0;
      step.columns = 1;
      stepper.C.col(0) = state.base_x;
      const Regime& r = cache.get(sys, state.modes);
      recorder.segment(r, state.base_t, state.base_t, step, stepper.C);
      recorder.last(r, state.base_t, state.base_t, step, stepper.C);
      last_t0 = state.base_t;
    } else if (!recorder.motion()) { // the end lies within the present step
      polynomials(
          *current, state, state.base_t + step.end * step.h,
          [&](double a, double b, const Step& part) { recorder.last(*current, a, b, part, stepper.C); });
    }
    state.t = t;
    if (state.base_t == t) {
      state.x = state.base_x;
    } else {
      state.x.resize(sys.nx);
      stepper.state_at(step, (t - last_t0) - last_rest, state.x.data());
    }
    return out;
  };

  if (log.status == TransitionStatus::undecided)
    return finish(Status::no_solution, state.base_t,
                  "no admissible combination of modes was found at the start");
  double kink = -INFINITY; // next breakpoint of a signal
  const bool limited = std::isfinite(options.max_time);
  const auto begin = stop || limited ? Clock::now() : Clock::time_point();
  auto asked = begin;
  int at_one_instant = 0;
  while (true) {
    if ((++out.steps & 15) == 0 && (stop || limited)) {
      const auto now = Clock::now();
      if (now - asked > std::chrono::milliseconds(20)) {
        asked = now;
        if (stop && stop())
          return finish(Status::interrupted, std::max(state.base_t, t_begin), "interrupted");
        if (std::chrono::duration<double>(now - begin).count() > options.max_time)
          return finish(Status::budget, std::max(state.base_t, t_begin), "max_time is used up");
      }
    }
    if (!current || current->modes != state.modes) current = &cache.get(sys, state.modes);
    const Regime& r = *current;
    if (!(kink > state.base_t)) kink = next_kink(state.base_t);
    // A tick that falls on a breakpoint to rounding is one instant with it.
    const double tick = sampler.next(state);
    const double limit = std::isfinite(tick) && std::abs(kink - tick) <= 4e-16 * std::abs(tick)
                             ? std::max(kink, tick)
                             : std::min(kink, tick);
    const double proposed = state.step, last_error = state.last_error;
    const int stiff = state.stiff;
    stepper.take(r, state, limit, step);
    double t1 = state.base_t + step.end * step.h, tau = step.end * step.h, rest = 0.0;
    if (timeless) { // t1 + rest is the end of the step to twice the digits
      const double length = tau + state.base_rest;
      t1 = state.base_t + length;
      const double back = t1 - state.base_t;
      rest = (state.base_t - (t1 - back)) + (length - back);
    } else if (step.end != 1.0) {
      tau = t1 - state.base_t; // signals go by the time that is kept
    }
    bool at_limit = false;
    if (std::isfinite(limit) && t1 >= limit - 4e-16 * std::abs(limit)) {
      t1 = limit, at_limit = true, rest = 0.0;
      if (step.end != 1.0) tau = (t1 - state.base_t) - state.base_rest;
      // A force that reaches its limit just where a signal has a kink may turn back there: what holds from
      // the right of the kink decides, as for all others at this instant.
      std::erase_if(step.fired, [](const Guard& g) {
        return g.kind == GuardKind::breaks_away || g.kind == GuardKind::shared_limit;
      });
    }
    const bool event = !step.fired.empty();
    if (step.columns > 0 || !recorder.motion())
      recorder.segment(r, state.base_t, t1, step, stepper.C);
    else
      polynomials(r, state, t1,
                  [&](double a, double b, const Step& part) { recorder.segment(r, a, b, part, stepper.C); });
    any = true;
    last_t0 = state.base_t, last_rest = state.base_rest;
    if (t1 > options.t_end) { // the run that goes on takes this step again, from the same proposal
      state.step = proposed, state.last_error = last_error, state.stiff = stiff;
      return finish(Status::finished, options.t_end, "reached t_end");
    }
    if (!event && !(t1 > state.base_t))
      return finish(
          Status::stalled, std::max(state.base_t, t_begin),
          "the step became too small to move time: the motion is steeper than double precision resolves");
    at_one_instant = t1 > state.base_t ? 0 : at_one_instant + 1;
    stepper.state_at(step, tau, end.data());
    state.base_x = end;
    state.base_t = t1, state.base_rest = rest;
    if (!end.allFinite())
      return finish(Status::stalled, std::max(t1, t_begin), "the state is no longer finite");
    state.after_transition = false;
    for (Index i = 0; i < sys.nx; ++i) state.nominal(i) = std::max(state.nominal(i), std::abs(end(i)));
    log.events.clear();
    if (at_limit && sampler.due(state, t1)) {
      sampler.run(state, &log);
      state.last_error = 0.0;
    }
    if (event || (at_limit && (kink <= t1 || !sampler.any() || !sampler.quiet(state)))) {
      state.last_error = 0.0;
      const Regime* next =
          !at_limit && step.fired.size() == 1 ? quick.decide(r, state, step.fired[0], log) : nullptr;
      if (next)
        current = next;
      else
        transition.decide(state, step.fired, false, log);
    }
    if (!log.events.empty()) {
      out.events += static_cast<std::int64_t>(log.events.size());
      recorder.events(log.events);
    }
    if (log.status == TransitionStatus::undecided)
      return finish(Status::no_solution, state.base_t, "no admissible combination of modes was found");
    if (event && at_one_instant > 100)
      return finish(Status::stalled, state.base_t, "more than 100 transitions at one instant");
    if (out.events > options.max_events) return finish(Status::budget, state.base_t, "max_events is used up");
    if (state.base_t == options.t_end) return finish(Status::finished, options.t_end, "reached t_end");
  }
}

} // namespace stickslip
