#include "simulate/simulate.hpp"

#include "core/error.hpp"
#include "signal/least.hpp"
#include "simulate/rest.hpp"
#include "simulate/time_stepping.hpp"

#include <chrono>
#include <cmath>

namespace stickslip {

State initial_state(const System& sys, double t0, const Vector& x0) {
  State s;
  s.t = s.base_t = t0;
  s.x = s.base_x = x0;
  s.nominal = sys.nominal.cwiseMax(x0.cwiseAbs());
  // What the description gives no size (a neighbour that only its initial displacement moves) has that of its springs.
  for (Index round = 0; round < sys.plant_states; ++round) {
    const Vector reached = sys.time_scale * (sys.A.cwiseAbs() * s.nominal);
    for (Index i = 0; i < sys.plant_states; ++i)
      if (s.nominal(i) == 0.0) s.nominal(i) = reached(i);
  }
  s.modes.place.assign(sys.places.size(), 0);
  s.modes.load_sign.assign(sys.places.size(), 1);
  s.modes.contact.assign(sys.contacts.size(), static_cast<std::int8_t>(Mode::open));
  for (const Place& p : sys.places) s.modes.branch.push_back(initial_branch(p.law));
  s.modes.limit.assign(static_cast<std::size_t>(sys.limits), 0);
  s.ticks = start_ticks(sys, t0);
  return s;
}

void validate(const System& sys, const State& state, const Options& o) {
  positive("rtol", o.rtol);
  finite("t_end", o.t_end);
  if (!(o.t_end > state.t)) {
    std::ostringstream text;
    text << "= " << o.t_end << " is not allowed: it must lie after the start at t = " << state.t;
    reject("t_end", text.str());
  }
  if (!(o.max_step > 0.0)) reject("max_step", o.max_step, "> 0");
  if (!(o.theta >= 0.5 && o.theta <= 1.0)) reject("theta", o.theta, "in [0.5, 1]");
  if (!(o.max_time > 0.0)) reject("max_time", o.max_time, "> 0");
  if (o.max_events < 0) reject("max_events", static_cast<double>(o.max_events), ">= 0");
  if (o.atol.size() > 0) {
    if (o.atol.size() != sys.nx)
      reject("atol", "has " + std::to_string(o.atol.size()) + " entries for " + std::to_string(sys.nx) + " states");
    for (Index i = 0; i < o.atol.size(); ++i)
      if (!(o.atol(i) > 0.0)) reject("atol[" + std::to_string(i) + "]", o.atol(i), "> 0");
  }
  for (const Place& p : sys.places) {
    const Signal& load = sys.signals[static_cast<std::size_t>(p.load)];
    if (is_constant(load)) continue;
    const Least l = least(load, state.t, o.t_end);
    if (l.value < -1e-12 * l.size) {
      std::ostringstream text;
      text << "of '" << p.name << "' becomes negative: it is " << l.value << " at t = " << l.t << ", but a surface cannot pull";
      reject("normal_load", text.str());
    }
  }
  if (state.modes.place.size() != sys.places.size())
    reject("state", "belongs to another machine: it has " + std::to_string(state.modes.place.size()) + " places of friction, this one " +
                        std::to_string(sys.places.size()));
  if (state.x.size() != sys.nx) reject("state", "belongs to another machine: it has " + std::to_string(state.x.size()) + " values, this one " + std::to_string(sys.nx));
}

Trajectory simulate(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                    const std::function<bool()>& stop) {
  const System& sys = compiled->system;
  RegimeCache& cache = compiled->regimes;
  validate(sys, state, options);
  if (options.method == Method::time_stepping) return time_stepping(std::move(compiled), std::move(state), options, stop);
  Trajectory run;
  run.compiled = compiled;
  run.t_begin = state.t;
  TransitionLog log;
  Sampler sampler(sys, cache);
  if (!state.started) {
    if (sampler.due(state, state.base_t)) sampler.run(state);
    transition(sys, cache, state, {}, true, log);
    run.events = log.events; // impacts that make the velocities at the start consistent
    state.started = true;
  }
  const bool undecided = log.status == TransitionStatus::undecided;
  Stepper stepper(sys, options);
  Step step;
  double kink = -INFINITY;  // next breakpoint of a signal
  const auto begin = std::chrono::steady_clock::now();
  auto asked = begin;
  const Regime* current = nullptr;
  int at_one_instant = 0;
  std::int64_t count = 0;
  Vector end(sys.nx);

  auto keep = [&](const Regime& r, double t0, double t1) {
    Segment seg{t0, t1, step.h, &r, run.coefficients.size(), step.columns, step.kind};
    run.coefficients.insert(run.coefficients.end(), stepper.C.data(), stepper.C.data() + sys.nx * step.columns);
    run.segments.push_back(seg);
  };
  auto finish = [&](Status status, double t, std::string message) {
    run.status = status;
    run.message = std::move(message);
    run.t_end = t;
    run.steps = count;
    run.evaluations = stepper.evaluations;
    if (run.segments.empty() || state.base_t == t) { // the state after the last event, as a segment of no length
      step.h = 0.0;
      step.columns = 1;
      stepper.C.col(0) = state.base_x;
      keep(cache.get(sys, state.modes), state.base_t, state.base_t);
    }
    state.t = t;
    if (state.base_t == t) state.x = state.base_x;
    else {
      state.x.resize(sys.nx);
      run.state_at(run.segments.back(), t, state.x.data());
    }
    if (status == Status::finished)
      if (const std::string rest = note_of_rest(sys, cache.get(sys, state.modes), t, state.x.data()); !rest.empty())
        run.message += "; " + rest;
    run.state = std::move(state);
  };

  if (undecided) {
    finish(Status::no_solution, state.base_t, "no admissible combination of modes was found at the start");
    return run;
  }
  while (true) {
    if ((++count & 15) == 0) {
      const auto now = std::chrono::steady_clock::now();
      if (now - asked > std::chrono::milliseconds(20)) {
        asked = now;
        if (stop && stop()) {
          finish(Status::interrupted, std::max(state.base_t, run.t_begin), "interrupted");
          return run;
        }
        if (std::chrono::duration<double>(now - begin).count() > options.max_time) {
          finish(Status::budget, std::max(state.base_t, run.t_begin), "max_time is used up");
          return run;
        }
      }
    }
    if (!current || current->modes != state.modes) current = &cache.get(sys, state.modes);
    const Regime& r = *current;
    if (!(kink > state.base_t)) {
      kink = INFINITY;
      for (const Signal& s : sys.signals) kink = std::min(kink, next_breakpoint(s, state.base_t));
    }
    // A tick that falls on a breakpoint to rounding is one instant with it.
    const double tick = sampler.next(state);
    const double limit = std::isfinite(tick) && std::abs(kink - tick) <= 4e-16 * std::abs(tick) ? std::max(kink, tick) : std::min(kink, tick);
    const double proposed = state.step, last_error = state.last_error;
    const int stiff = state.stiff;
    stepper.take(r, state, limit, step);
    double t1 = state.base_t + step.end * step.h;
    bool at_limit = false;
    if (std::isfinite(limit) && t1 >= limit - 4e-16 * std::abs(limit)) {
      t1 = limit, at_limit = true;
      // A force that reaches its limit just where a signal has a kink may turn back there: what holds from the right of
      // the kink decides, as for all others at this instant.
      std::erase_if(step.fired, [](const Guard& g) { return g.kind == GuardKind::breaks_away || g.kind == GuardKind::shared_limit; });
    }
    const bool event = !step.fired.empty();
    keep(r, state.base_t, t1);
    if (t1 > options.t_end) { // the run that goes on takes this step again, from the same proposal
      state.step = proposed, state.last_error = last_error, state.stiff = stiff;
      finish(Status::finished, options.t_end, "reached t_end");
      return run;
    }
    if (!event && !(t1 > state.base_t)) {
      finish(Status::stalled, std::max(state.base_t, run.t_begin), "the step became too small to move time: the motion is steeper than double precision resolves");
      return run;
    }
    at_one_instant = t1 > state.base_t ? 0 : at_one_instant + 1;
    run.state_at(run.segments.back(), step.end == 1.0 ? state.base_t + step.h : t1, end.data());
    state.base_x = end;
    if (!end.allFinite()) {
      state.base_t = t1;
      finish(Status::stalled, std::max(t1, run.t_begin), "the state is no longer finite");
      return run;
    }
    state.base_t = t1;
    state.after_transition = false;
    state.nominal = state.nominal.cwiseMax(end.cwiseAbs());
    if (at_limit && sampler.due(state, t1)) {
      sampler.run(state);
      state.last_error = 0.0;
    }
    if (event || (at_limit && (kink <= t1 || !sampler.any() || !sampler.quiet(state)))) {
      log.events.clear();
      state.last_error = 0.0;
      transition(sys, cache, state, step.fired, false, log);
      run.events.insert(run.events.end(), log.events.begin(), log.events.end());
      if (log.status == TransitionStatus::undecided) {
        finish(Status::no_solution, state.base_t, "no admissible combination of modes was found");
        return run;
      }
      if (at_one_instant > 100) {
        finish(Status::stalled, state.base_t, "more than 100 transitions at one instant");
        return run;
      }
      if (static_cast<std::int64_t>(run.events.size()) > options.max_events) {
        finish(Status::budget, state.base_t, "max_events is used up");
        return run;
      }
    }
    if (state.base_t == options.t_end) {
      finish(Status::finished, options.t_end, "reached t_end");
      return run;
    }
  }
}

} // namespace stickslip
