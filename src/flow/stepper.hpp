// One step of the flow of a regime, by the method chosen for it, and the first guard that fires within it.
#pragma once

#include "core/affine_taylor.hpp"
#include "core/dop853.hpp"
#include "core/dopri5.hpp"
#include "core/list.hpp"
#include "core/roots.hpp"
#include "core/rosenbrock.hpp"
#include "core/step_control.hpp"
#include "core/tolerances.hpp"
#include "dynamics/field.hpp"
#include "dynamics/state.hpp"
#include "flow/delays.hpp"
#include "flow/flow_plan.hpp"
#include "flow/options.hpp"

#include <memory>

namespace stickslip {

// slow_subspace: exact as well, after the fast modes of a stiff regime have died out.
enum class FlowKind : std::int8_t { exact, explicit_pair, stiff, time_stepping, slow_subspace };
inline bool is_exact(FlowKind kind) {
  return kind == FlowKind::exact || kind == FlowKind::slow_subspace;
}

// Maximum step of an unlimited motion: many time constants of the machine.
inline double outlook(const State& state) {
  return 1e3 * state.time_scale;
}

// The motion over [t0, t0 + h]: x = sum_k C.col(k) theta^k, theta = (t - t0) / h; of a swing (columns = 0)
// its closed form, which expand() turns into such polynomials; of a stride write_out() does.
struct Step {
  double h = 0.0;
  double end = 1.0; // theta up to which it holds
  Index columns = 0;
  FlowKind kind = FlowKind::exact;
  List<Guard> fired;              // empty: no event
  const Stride* stride = nullptr; // the motion is in the stride, and C is empty
};

class Stepper {
public:
  Stepper(const System& sys, const Options& options);

  // From state.base_t, not beyond t_limit (a breakpoint or tick, perhaps infinite). Coefficients are in `C`.
  void take(const Regime& regime, State& state, double t_limit, Step& step);

  void signals_changed(); // constant ones have got new values

  // The state of the step that was taken last, tau after its start.
  void state_at(const Step& step, double tau, double* x) const;
  bool autonomous() const { return varying.empty() && !reads_time; }
  // Part of a swing as polynomials: from `offset` after its start x0 on, no longer than it lasts.
  Step expand(const Step& swing, double offset);
  void write_out(Step& of_stride);

  Matrix C; // nx x columns
  Delays delays;
  std::int64_t evaluations = 0;

private:
  static constexpr Index exact_columns = affine_taylor_degree + 1;

  const System& sys;
  const Options& options;
  Scratch scratch;
  Vector s, sdot, frame_signals, force, atol, f0, work, guards, theta_column;
  const State* stepped = nullptr; // the state whose step is being taken
  Vector with_delays;             // x with the velocities of one dead time ago
  StateSizes scale;
  Vector sizes, sized_from; // of the states, and the sizes seen from which they were made
  const double* sized_by = nullptr;
  double sized_time = 0.0;
  Matrix J, signal_series, sampled;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>
      guard_series; // at least as many rows and columns as needed
  Vector dfdt;
  Dopri5Workspace explicit_work;
  Dop853Workspace fine_work; // of machines that are not linear
  struct { // where nothing else changes it, the slope at the end of a step starts the next one
    const Regime* of = nullptr;
    Vector x, slope;
  } known_end;
  RosenbrockWorkspace stiff_work;
  List<Index> varying;                // signals that are not constant
  bool reads_time = false;            // formulas of the motion do
  List<Held> pieces;                  // the piece of each that holds during this step
  List<Index> departing;              // elements whose velocity grows out of zero
  List<double> shift;                 // threshold of each guard
  Vector condition_sizes, load_sizes; // sizes of the terms of conditions in formulas, and of loads
  Vector shared_force;                // at the start of the step
  double shared_change = 0.0;         // greatest change of its margins and multipliers in the step
  List<double> crossing;              // theta of each guard's first crossing, > 1 if none
  List<std::unique_ptr<FlowPlan>> plans;
  FlowPlan* plan = nullptr; // of the present regime
  List<double> intervals;   // between ticks, and between these and outputs with a delay
  struct Swing {            // of the step that was taken last
    Oscillation oscillation;
    Index first = 0, second = 0;
    double rate[2] = {}, turned[2] = {}; // r and B r
    OscillationWeights weights{};        // at the time `near`
    double near = -1.0;
    Vector start;
  } swing;
  Field field; // the right-hand side where `fast` says that it knows the regime
  bool fast = false;

  void frame(double t);
  void signals_at(double t, double* out) const;
  void rhs(const Regime& r, double t, const double* x, double* dx);
  Index signal_taylor(double t, double& fastest);
  void exact(const Regime& r, State& state, double horizon, Step& step);
  FlowPlan& plan_of(const Regime& r);
  bool take_stride(const Regime& r, const State& state, double horizon, Step& step);
  bool take_swing(const Regime& r, const State& state, double limit, Step& step);
  bool take_slow_subspace(const Regime& r, const State& state, Index signal_degree, double reach, Step& step);
  void hold_ending(const Regime& r, const State& state, Index signal_degree, Step& step);
  void set_scale(const Regime& r, const State& state);
  Index ending_series(const Regime& r, const State& state, Index signal_degree);
  void guard_rows(const Regime& r, Index columns, Index state_columns, Index signal_degree, double h);
  double horizon_of_roots(const Regime& r, Index degree, const State& state) const;
  double part_in_sight(const Regime& r, const State& state, Index degree, double h) const;
  void adaptive(const Regime& r, State& state, double horizon, Step& step);
  double longest_step(const Regime& r, const State& state) const;
  void set_tolerances(const Regime& r, const State& state);
  bool size_by_drives(const Matrix& A, const State& state);
  FlowKind begin_step(const Regime& r, const State& state);
  double stable_step(const Regime& r, const State& state);
  double propose_step(const Regime& r, State& state, double horizon, FlowKind kind);
  double step_within_tolerance(const Regime& r, State& state, FlowKind kind, double h);
  void note_stiffness(State& state, double h) const;
  bool passes_another(const Regime& r, const State& state, Index event) const;
  bool end_at_event(const Regime& r, State& state, Step& step, Index degree);
  const Vector& end_of(FlowKind kind) const { // of the attempt made last
    return kind != FlowKind::explicit_pair ? stiff_work.x1 : high() ? fine_work.x1 : explicit_work.x1;
  }
  const Vector& error_of(FlowKind kind) const {
    return kind != FlowKind::explicit_pair ? stiff_work.error
           : high()                        ? fine_work.error
                                           : explicit_work.error;
  }
  // The explicit pair of machines that are not linear is of order 8: their steps are dear, and long ones save most.
  bool high() const { return sys.smooth != nullptr; }
  Index dense_columns(FlowKind kind) const {
    return kind == FlowKind::explicit_pair && high() ? dop853_dense_columns : dopri5_dense_columns;
  }
  double error_of_attempt(const State& state, FlowKind kind) const;
  bool passes_fine_structure(const Regime& r, const State& state, const Vector& x1, double& h);
  bool passes_corner(const Regime& r, const State& state, const Vector& x1, double& h);
  bool passes_bend(const Regime& r, const State& state, const Vector& x1, double& h);
  bool attempt(const Regime& r, const State& state, double h, FlowKind kind);
  template <Index N> bool attempt_stiff(const State& state, double h);
  void slopes(const Regime& r, double t, const double* x);
  void dense(const Regime& r, const State& state, double h, FlowKind kind);
  Index signal_terms(const Regime& r, double t, double h);
  bool find_departing(const Regime& r, const State& state);
  double departing_error(double t, const Vector& x1, const Vector& error, const State& state);
  void confirm(const Regime& r, Index k, const State& state, const Step& step, Index degree);
  double guard_at(const Regime& r, Index k, const State& state, const Step& step, double theta);
  bool is_polynomial(const Regime& r, Index guard) const;
  bool guard_polynomials(const Regime& r, const State& state, const Step& step, Index& degree);
  bool hides_crossing(Index k) const;
  void size_formulas(const Regime& r, const State& state);
  bool misses_motion(const Step& step, double theta) const;
  bool resolves_guards(const Regime& r, const State& state, const Step& step, Index degree);
  double guard_size(const Regime& r, const State& state, Index k, FlowKind kind) const;
  double zero_at_start(const Regime& r, const State& state, Index k, FlowKind kind, const double* c,
                       double size, double whole) const;
  double band(const Regime& r, const State& state, Index k) const;
  double crossing_watched(double* c, Index degree, double within, bool fresh, double& exceeds) const;
  double crossing_as_decided(double* c, Index degree, Index zeros, double within, double& exceeds) const;
  double crossing_of_load(const double* c, Index degree, double size) const;
  bool only_touches(const double* c, const Contact& contact, const State& state, double h) const;
  void clear_rounding(const Guard& g, const State& state, const Step& step, double* c, Index degree,
                      double size) const;
  Crossing crossing_of_opening(double* c, Index degree, FlowKind kind, double size, double noise) const;
  double crossing_undecided(const Regime& r, const State& state, const Step& step, Index k, double* c,
                            Index degree, double size, double whole) const;
  double crossing_of(const Regime& r, const State& state, const Step& step, Index k, double* c, Index degree);
  // Uncertainty of an instant, as a part of the step that begins there.
  static double last_digits(const State& state, const Step& step) {
    return tolerance::last_digits * std::abs(state.base_t) / step.h;
  }
  // Guards that fire within this time of each other fire together.
  static double same_instant(const State& state) {
    return tolerance::last_digits * std::abs(state.base_t) + tolerance::rounding * state.time_scale;
  }
  bool find_crossings(const Regime& r, const State& state, const Step& step, Index degree);
  void collect(const Regime& r, const State& state, Step& step);
};

} // namespace stickslip
