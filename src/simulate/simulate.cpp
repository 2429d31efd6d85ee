#include "simulate/simulate.hpp"

#include "core/error.hpp"
#include "signal/least.hpp"
#include "simulate/run.hpp"
#include "simulate/time_stepping.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

State initial_state(const System& sys, double t0, const Vector& x0) {
  State s;
  s.t = s.base_t = t0;
  s.x = s.base_x = x0;
  s.nominal = sys.nominal.cwiseMax(x0.cwiseAbs());
  // What the description gives no size (a neighbour that only its initial displacement moves) has that of its
  // springs.
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
  s.left = Vector::Constant(static_cast<Index>(sys.places.size()), -INFINITY);
  s.brief.assign(sys.places.size(), 0);
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
      reject("atol",
             "has " + std::to_string(o.atol.size()) + " entries for " + std::to_string(sys.nx) + " states");
    for (Index i = 0; i < o.atol.size(); ++i)
      if (!(o.atol(i) > 0.0)) reject("atol[" + std::to_string(i) + "]", o.atol(i), "> 0");
  }
  for (const Place& p : sys.places) {
    const Signal& load = sys.signals[static_cast<std::size_t>(p.load)];
    if (is_constant(load)) continue;
    const Least l = least(load, state.t, o.t_end);
    if (l.value < -1e-12 * l.size) {
      std::ostringstream text;
      text << "of '" << p.name << "' becomes negative: it is " << l.value << " at t = " << l.t
           << ", but a surface cannot pull";
      reject("normal_load", text.str());
    }
  }
  if (state.modes.place.size() != sys.places.size())
    reject("state", "belongs to another machine: it has " + std::to_string(state.modes.place.size()) +
                        " places of friction, this one " + std::to_string(sys.places.size()));
  if (state.x.size() != sys.nx)
    reject("state", "belongs to another machine: it has " + std::to_string(state.x.size()) +
                        " values, this one " + std::to_string(sys.nx));
}

namespace {

// Everything, or events alone, or nothing but the last piece of motion.
struct Keeper {
  Trajectory& run;
  Keep keep;

  bool motion() const { return keep == Keep::segments; }
  void segment(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) {
    const std::pair<const Regime*, FlowKind> used{&r, step.kind};
    if (std::find(run.used.begin(), run.used.end(), used) == run.used.end()) run.used.push_back(used);
    if (motion()) store(r, t0, t1, step, C);
  }
  void last(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) {
    if (motion()) return;
    run.segments.clear(), run.coefficients.clear();
    store(r, t0, t1, step, C);
  }
  void store(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) {
    run.segments.push_back({t0, t1, step.h, &r, run.coefficients.size(), step.columns, step.kind});
    run.coefficients.insert(run.coefficients.end(), C.data(), C.data() + C.rows() * step.columns);
  }
  void events(std::vector<Event>& events) {
    if (keep == Keep::nothing) return;
    for (Event& e : events) run.events.push_back(std::move(e));
  }
};

// The same of a run that has kept everything.
Trajectory keep_less(Trajectory run, Keep keep) {
  for (const Segment& s : run.segments)
    if (const std::pair<const Regime*, FlowKind> one{s.regime, s.kind};
        std::find(run.used.begin(), run.used.end(), one) == run.used.end())
      run.used.push_back(one);
  run.kept = keep;
  run.event_count = static_cast<std::int64_t>(run.events.size());
  if (keep == Keep::segments) return run;
  run.segments.erase(run.segments.begin(), run.segments.end() - 1);
  run.t_begin = run.t_end;
  if (keep == Keep::nothing) run.events.clear();
  return run;
}

} // namespace

Trajectory simulate(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                    const std::function<bool()>& stop) {
  validate(compiled->system, state, options);
  if (options.method == Method::time_stepping)
    return keep_less(time_stepping(std::move(compiled), std::move(state), options, stop), options.keep);
  Trajectory run;
  run.kept = options.keep;
  run.t_begin = state.t;
  Runner runner(compiled->system, compiled->regimes, options);
  Keeper keeper{run, options.keep};
  Outcome outcome = runner.run(state, keeper, stop);
  run.compiled = std::move(compiled);
  run.t_end = state.t;
  run.status = outcome.status;
  run.message = std::move(outcome.message);
  run.steps = outcome.steps;
  run.evaluations = outcome.evaluations;
  run.event_count = outcome.events;
  if (options.keep != Keep::segments) run.t_begin = run.t_end;
  run.state = std::move(state);
  return run;
}

} // namespace stickslip
