#include "run/simulate.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"
#include "run/check.hpp"
#include "run/run.hpp"
#include "signal/least.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

// Rejects times below the rounding error of t.
void check_times(const System& sys, const State& state, const Options& o) {
  const double least = tolerance::last_digits * std::max(std::abs(state.t), std::abs(o.t_end));
  const auto check = [&](const std::string& name, double time, const char* cure) {
    if (time > least) return;
    std::ostringstream text;
    text << "= " << time << " is not allowed: times up to t_end = " << o.t_end << " have a rounding error of "
         << least << cure;
    reject(name, text.str());
  };
  check("max_step", o.max_step, "");
  for (const Friction& p : sys.friction) {
    const Automaton& a = p.automaton;
    if (a.lag > 0.0) check("memory of '" + p.name + "'", a.lag, "; leave it out");
    if (a.dead_time > 0.0) check("dead time of '" + p.name + "'", a.dead_time, "; leave it out");
  }
}

} // namespace

void validate(const System& sys, const State& state, const Options& o) {
  check(o);
  check(sys, state);
  if (!(o.t_end > state.t)) {
    std::ostringstream text;
    text << "= " << o.t_end << " is not allowed: it must lie after the start at t = " << state.t;
    reject("t_end", text.str());
  }
  check_times(sys, state, o);
  if (o.atol.size() > 0 && o.atol.size() != sys.nx)
    reject("atol",
           "has " + std::to_string(o.atol.size()) + " entries for " + std::to_string(sys.nx) + " states");
  check_constraints(sys, state.t, o.t_end);
  check_formulas(sys, state);
  for (const Friction& p : sys.friction) {
    const Signal& load = sys.signals[p.load];
    if (is_constant(load)) continue;
    const Least l = least(load, state.t, o.t_end);
    if (l.value < -tolerance::product * l.size) {
      std::ostringstream text;
      text << "of '" << p.name << "' becomes negative: it is " << l.value << " at t = " << l.t
           << ", but it must be >= 0 at all times";
      reject("normal_load", text.str());
    }
  }
}

namespace {

// Everything, or events alone, or nothing but the last piece of motion.
class Keeper final : public Recorder {
public:
  Keeper(Trajectory& keeps, const Options& options, Passages* every)
      : run(keeps), keep(options.keep), t_end(options.t_end), passages(every) {
    const System& sys = run.system();
    linear_sampling = sys.smooth == nullptr && sys.saturations == 0;
    for (const Loop& l : sys.loops) linear_sampling = linear_sampling && !l.block.program;
  }

  bool motion() const override { return keep == Keep::segments; }
  bool takes_strides() const override { return motion(); }
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
  void events(List<Event>& events) override {
    if (keep == Keep::nothing) return;
    for (const Event& e : events) run.events.add(run.system(), e);
  }
  bool notes() const override { return passages != nullptr; }
  void passed(const Passage& one, const Jump& jump) override {
    if (jump.quiet && linear_sampling)
      return passages->quiet.add(run.segments.size(), run.events.rows.size(), one.before.sampling);
    Passage& kept = passages->all.emplace_back(one);
    kept.jump = jump;
    kept.segment = run.segments.size(), kept.event = run.events.rows.size();
  }

private:
  Trajectory& run;
  Keep keep;
  double t_end;
  Passages* passages;
  bool linear_sampling = true; // sampled controllers are linear, and so is all that they read
  const StrideMap* latest = nullptr;

  void store(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) {
    if (run.segments.size() == static_cast<Index>(run.segments.capacity())) make_room(t0);
    run.segments.push_back({t0, t1, step.h, &r, run.coefficients.size(), step.columns, step.kind});
    Segment& one = run.segments.back();
    const double* from = C.data();
    Index count = C.rows() * step.columns;
    if (step.stride != nullptr) {
      one.map = map_of(*step.stride);
      from = step.stride->start(), count = one.map->given();
    }
    run.coefficients.insert(run.coefficients.end(), from, from + count);
  }

  // Kept alive with the run.
  const StrideMap* map_of(const Stride& stride) {
    const StrideMap* const map = stride.map.get();
    if (map == latest) return map;
    const auto is_it = [map](const auto& kept) { return kept.get() == map; };
    if (std::none_of(run.maps.begin(), run.maps.end(), is_it)) run.maps.push_back(stride.map);
    return latest = map;
  }

  // Reserves memory for the whole run, extrapolated from the run so far, up to a limit: unused memory costs nothing,
  // but a run that is stopped early may have been given any length.
  void make_room(double t) {
    constexpr Index few = 64;
    constexpr double spare = 1.1, most = 0x1p26; // numbers that are asked for ahead
    const Index n = run.segments.size();
    if (n < few || !(t > run.t_begin)) return;
    const double ahead = most / static_cast<double>(std::max(n, run.coefficients.size()));
    const double times = std::max(2.0, std::min(ahead, spare * (t_end - run.t_begin) / (t - run.t_begin)));
    const auto expected = [times](Index size) {
      return static_cast<Index>(times * static_cast<double>(size));
    };
    run.segments.reserve(expected(n));
    run.coefficients.reserve(expected(run.coefficients.size()));
  }
};

} // namespace

Trajectory simulate(std::shared_ptr<Compiled> compiled, State state, const Options& options, const Stop& stop,
                    Passages* passages) {
  validate(compiled->system, state, options);
  Trajectory run;
  run.compiled = compiled;
  run.kept = options.keep;
  run.t_begin = state.t;
  Runner runner(compiled->system, compiled->regimes, options);
  Keeper keeper(run, options, passages);
  Outcome outcome = runner.run(state, keeper, stop);
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
