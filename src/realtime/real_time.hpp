// Fixed-step form of a machine, for real time: the regimes, guards and automaton states of simulate(), but with steps
// of one length and bounded work. Without bristles a step is one precomputed map, together with one evaluation of each
// sliding curve (real_time_plan.hpp); with bristles it is one linearly implicit step of order 2 (ROS2 of Verwer et al.
// 1999: L-stable, and of order 2 for any Jacobian). Guards are evaluated at the end of the step. A guard that has fired
// is located within the step on a parabola through both ends; modes and states change there, and the rest of the step
// continues in the new regime: at most `max_transitions` instants per step. Further transitions are flagged and made at
// the start of the next step. Two events within a step that cancel each other are not detected. The error is of first
// order in the step.
//
// For motions with functions of positions and velocities, a step is that of ROS2 with the rows, columns and values at
// each of its two stages, and a Jacobian of differences. Corners of formulas are not located; a compliant contact is a
// force like any other.
//
// Rigid contacts of linear machines: contact_instant.hpp decides each instant, which is located on the exact flow
// unless a curve makes the motion nonlinear. After `max_transitions` instants modes stay to the end of the step, except
// that contacts that are reached close, each at most once and without rebound: this ends impacts in rapid succession
// and prevents overlaps.
//
// Springs are piecewise linear: the segment of each flank, and its release by the damper, are modes like any other.
//
// Continuous controllers are part of the regimes, and their limits are modes like any other. Sampled ones run at the
// start of those steps that contain their sampling instants; a delayed output takes effect at the end of its delay,
// also within a step.
//
// step() and read() neither allocate nor throw after every combination of modes has been built; the constructor does
// this for at most `prebuilt_limit` combinations (except for laws with internal switches).
#pragma once

#include "core/list.hpp"
#include "dynamics/regime.hpp"
#include "realtime/contact_instant.hpp"
#include "realtime/real_time_plan.hpp"
#include "realtime/ring.hpp"
#include "realtime/sampled_loops.hpp"

#include <map>
#include <memory>
#include <string>

namespace stickslip {

struct RealTimeOutput {
  using Kind = Read;
  Kind kind = Kind::state;
  Index index = 0; // state, element or controller
  Index part = 0;  // of a controller: index of the output
};

class RealTime {
public:
  static constexpr Index prebuilt_limit = 1024;

  // Throws InvalidArgument. t0: time of x0; inputs start at their defaults.
  RealTime(const System& system, double step, const Vector& x0, double t0, int max_transitions);
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

  const System& system() const { return sys; }
  const List<std::string>& inputs() const { return input_names; }
  const Vector& input_values() const { return input; }

  // `values` are held over this step, one for each name in inputs().
  void step(const double* values) noexcept;
  // Values at the end of the last step.
  void read(const RealTimeOutput* what, Index count, double* out) noexcept;

  double time() const { return t0 + static_cast<double>(ticks) * h; }
  double step_size() const { return h; }
  std::int64_t tick() const { return ticks; }
  Eigen::Map<const Vector> state() const { return {a.x, sys.nx}; }
  const Modes& modes() const { return now; }
  bool prebuilt() const { return complete && in_place && (!contacts || contacts->bounded()); }

  std::int64_t transitions = 0;   // instants with mode changes so far
  std::int64_t left_over = 0;     // steps that postponed a transition to the next
  bool late = false;              // the last step did
  std::int64_t clipped_steps = 0; // steps in which a negative normal load was clipped to zero
  bool clipped = false;           // the last step did so
  bool failed = false;            // the state would have become non-finite: it stays at its last finite value

private:
  // Changes of the signals over a whole step, then state, moving signals and forces at one instant.
  struct Point {
    List<double> store;
    double *change = nullptr, *x = nullptr, *s = nullptr, *f = nullptr;
  };
  struct Drive {         // a signal that moves
    Index signal, input; // input: -1 if it has none
    bool jumps, whole;   // whole: one piece, no input
    int degree;          // of that piece
    bool load;           // the normal load of a friction element
  };

  System sys;
  double h, t0;
  int most;
  std::int64_t ticks = 0;
  bool complete = false, in_place = true; // in_place: turning rows do not allocate
  Modes now;
  RegimeCache cache;
  std::map<Modes, std::unique_ptr<RealTimePlan>> plans;
  const RealTimePlan* plan = nullptr;
  List<Ring> rings;                         // of elements with dead time
  std::unique_ptr<ContactInstant> contacts; // null without rigid contacts
  Scratch w;

  List<std::string> input_names;
  Moving moving;
  List<Drive> drives;
  List<Index> moving_surfaces; // elements that stick on a surface whose velocity may jump
  bool any_input = false, fresh = true;
  Vector input, before, full; // full: all signals at the most recent instant

  std::unique_ptr<SampledLoops> sampled;
  Vector samples, sample_rates, slopes; // of limits of controllers
  bool clamps = false;                  // a limit depends on rates

  // Workspace of one step. A base step leads from a at time `at` within the step over the length `span` to b.
  double at = 0.0, left = 0.0, span = 0.0;
  bool have_rate = false, have_values = false;
  Point a, b, e;
  List<CurvedValue> values;
  Vector rate, f0, f1, k1, k2, dfdt, force, came_from, velocity_tolerance, force_tolerance, sdot;
  Vector load_zero; // rounding error of a load from a formula, which may be below zero by this
  List<double> ga, gb, ge;
  Matrix J, W;
  List<double> K, d, rhs;
  Eigen::Matrix<int, Eigen::Dynamic, 1> order;

  void lay_out();
  void find_moving(const Vector& still);
  const RealTimePlan& plan_of(const Modes& modes);
  void refuse_what_it_cannot() const;
  void find_inputs();
  void size_work(const Vector& x0);
  void choose_first_modes(const Vector& x0);
  void slide_on_what_yields();
  void start_rings();
  void remember() noexcept;
  void build_all();
  bool sample(const double* values) noexcept;
  void clip_load(Index drive) noexcept;
  void look_at_loads() noexcept;
  void follow_jumps() noexcept;
  const double* all(const Point& p) noexcept;
  // Evaluates at a: signals, those that follow the state included, and rows and columns.
  const double* here() noexcept;
  const System& system_here() noexcept;

  bool read_linear(const RealTimeOutput& o, const double* s, double& out) const noexcept;
  double read_element(const RealTimeOutput& o, const double* s) noexcept;
  Vector forces_of_constraints(const double* s) noexcept;
  double read_contact(const RealTimeOutput& o, const double* s) noexcept;

  void begin(const double* values) noexcept;
  void flag_late() noexcept;
  void change_within(double stop) noexcept;
  void finish(const Point* end) noexcept;
  void advance() noexcept;
  void quick_step() noexcept;
  void add_one_force() noexcept;
  void add_forces() noexcept;
  void implicit_step() noexcept;
  void difference(double t) noexcept;
  void rates(const Point& p, double tau, double* out) noexcept;
  Point& point_at(double tau) noexcept;
  Point& exact_point_at(double tau) noexcept;
  void guards_at(const Point& p, double tau, double* g) noexcept;
  double guard_at(Index which, const Point& p, double tau) const noexcept;
  void find_rate() noexcept;
  void forces_at_a() noexcept;
  double locate(Index which, double stop) noexcept;
  double refine(Index which, double tau, double stop, double slope) noexcept;
  void take(const Point& p, double passed) noexcept;
  void meet_surfaces(Point& p) noexcept;
  void meet_what_holds() noexcept;

  void change(Index which) noexcept;
  void release_beyond() noexcept;
  bool lasts(const Modes& modes, const double* x) noexcept;
  void fire(const Regime& r, const Guard& g) noexcept;
  const Guard* furthest_beyond() noexcept;
  void pass_corner(const Regime& r, const Guard& g) noexcept;
  void stop(Index i) noexcept;
  void release(Index i, int side) noexcept;
  void release_together(const Regime& r, const Guard& shared_limit) noexcept;
  bool moves_towards(Index i, int side) noexcept;

  void put_out_within(double now_at) noexcept;
  const SparseRow& input_row(Index loop, Index k) const noexcept;
  void prepare_saturations() noexcept;
  void saturation_fired(Index number) noexcept;
  void saturations_anew() noexcept;
  void choose(Index loop, Index output, const BlockGuard::Trigger* fired) noexcept;
  void settle_following(Point& p) noexcept;
};

} // namespace stickslip
