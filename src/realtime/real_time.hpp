// Fixed-step form of a machine, for real time: the regimes, guards and automaton states of simulate(), but with steps
// of one length and bounded work. Without bristles a step is one precomputed map, together with one evaluation of each
// sliding curve (real_time_plan.hpp); with bristles it is one linearly implicit step of order 2, or one of backward
// Euler (implicit_step.hpp). Guards are evaluated at the end of the step. A guard that has fired is located within the
// step on a parabola through both ends; modes and states change there, and the rest of the step continues in the new
// regime: at most `max_transitions` instants per step. Further transitions are flagged and made at the start of the next
// step. Two events within a step that cancel each other are not detected. The error is of first order in the step.
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

#include "realtime/contact_instant.hpp"
#include "realtime/controller_limits.hpp"
#include "realtime/dead_times.hpp"
#include "realtime/element_changes.hpp"
#include "realtime/guard_location.hpp"
#include "realtime/sampled_loops.hpp"
#include "realtime/step_outputs.hpp"

#include <memory>
#include <optional>
#include <string>

namespace stickslip {

class RealTime {
public:
  static constexpr Index prebuilt_limit = PlannedModes::prebuilt_limit;

  // Throws InvalidArgument. t0: time of x0; inputs start at their defaults.
  RealTime(const System& system, double step, const Vector& x0, double t0, int max_transitions);
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

  const System& system() const { return sys; }
  const List<std::string>& inputs() const { return driven.inputs(); }
  const Vector& input_values() const { return driven.input_values(); }

  // `values` are held over this step, one for each name in inputs().
  void step(const double* values) noexcept;
  // Values at the end of the last step.
  void read(const RealTimeOutput* what, Index count, double* out) noexcept;

  double time() const { return clock.start(); }
  double step_size() const { return clock.h; }
  std::int64_t steps() const { return clock.step; }
  Eigen::Map<const Vector> state() const { return {base.a.x, sys.nx}; }
  const Modes& modes() const { return planned.now; }
  bool prebuilt() const {
    return planned.complete() && local.in_place() && (!contacts || contacts->bounded());
  }

  // Prepared tables, for exports.
  struct Tables {
    const PlannedModes& plans;
    const DrivenSignals& signals;
    const SampledLoops& sampled;
    const StepPoint& point;
  };
  Tables tables() const { return {planned, driven, sampled, base.a}; }

  std::int64_t transitions = 0;   // instants with mode changes so far
  std::int64_t left_over = 0;     // steps that postponed a transition to the next
  bool late = false;              // the last step did
  std::int64_t clipped_steps = 0; // steps in which a negative normal load was clipped to zero
  bool clipped = false;           // the last step did so
  bool failed = false;            // the state would have become non-finite: it stays at its last finite value

private:
  const System sys;
  StepClock clock;
  int most; // transitions in a step
  DrivenSignals driven;
  LocalMachine local;
  PlannedModes planned;
  BaseStep base;
  GuardLocation guards;
  ElementChanges elements;
  ControllerLimits limits;
  SampledLoops sampled;
  std::unique_ptr<ContactInstant> contacts; // null without rigid contacts
  std::optional<DeadTimes> past;

  void choose_first_modes(const Vector& x0);
  void sample_first(State& first);

  void begin(const double* values) noexcept;
  bool may_change(int changes) noexcept;
  void change_modes(double end) noexcept;
  void put_out() noexcept;
  void choose_limits() noexcept;
  void finish(const StepPoint* end) noexcept;
  void flag_late() noexcept;
};

} // namespace stickslip
