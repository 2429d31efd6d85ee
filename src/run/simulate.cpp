#include "run/simulate.hpp"

#include "core/error.hpp"
#include "run/run.hpp"
#include "signal/least.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

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
  if (state.modes.friction.size() != sys.places.size())
    reject("state", "belongs to another machine: it has " + std::to_string(state.modes.friction.size()) +
                        " places of friction, this one " + std::to_string(sys.places.size()));
  if (state.x.size() != sys.nx)
    reject("state", "belongs to another machine: it has " + std::to_string(state.x.size()) +
                        " values, this one " + std::to_string(sys.nx));
}

namespace {

// Everything, or events alone, or nothing but the last piece of motion.
class Keeper final : public Recorder {
public:
  Keeper(Trajectory& keeps, Keep what) : run(keeps), keep(what) {}

  bool motion() const override { return keep == Keep::segments; }
  void segment(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) override {
    const std::pair<const Regime*, FlowKind> used{&r, step.kind};
    if (std::find(run.used.begin(), run.used.end(), used) == run.used.end()) run.used.push_back(used);
    if (motion()) store(r, t0, t1, step, C);
  }
  void last(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) override {
    if (motion()) return;
    run.segments.clear(), run.coefficients.clear();
    store(r, t0, t1, step, C);
  }
  void events(std::vector<Event>& events) override {
    if (keep == Keep::nothing) return;
    for (Event& e : events) run.events.push_back(std::move(e));
  }

private:
  Trajectory& run;
  Keep keep;

  void store(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) {
    run.segments.push_back({t0, t1, step.h, &r, run.coefficients.size(), step.columns, step.kind});
    run.coefficients.insert(run.coefficients.end(), C.data(), C.data() + C.rows() * step.columns);
  }
};

} // namespace

Trajectory simulate(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                    const Stop& stop) {
  validate(compiled->system, state, options);
  Trajectory run;
  run.kept = options.keep;
  run.t_begin = state.t;
  Runner runner(compiled->system, compiled->regimes, options);
  Keeper keeper(run, options.keep);
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
