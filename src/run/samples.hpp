// A run sampled on a grid of times, values from the right. Each group of signals is evaluated when it is first
// asked for, and kept.
#pragma once

#include "core/list.hpp"
#include "dynamics/tangent.hpp"
#include "run/loop_signals.hpp"
#include "run/trajectory.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace stickslip {

class Samples {
public:
  // Throws InvalidArgument unless the times lie within the run and do not decrease.
  Samples(std::shared_ptr<const Trajectory> run, List<double> times);

  Rows& states();
  Rows& signals();
  Rows& rates();      // x'
  Rows& forces();     // friction elements, then normal forces of contacts
  Rows& velocities(); // relative velocities of friction elements
  Rows& loads();
  Rows& lower_limits(); // forces that a sticking element can take; NaN where it does not stick
  Rows& upper_limits();
  ModeRows& modes(); // of friction elements
  Rows& gaps();
  Rows& gap_rates();
  ModeRows& contact_modes();
  Rows& normal_impulses(); // sums of all impacts so far
  LoopSamples& loops();
  Rows& spring_forces();
  Rows& elongations();
  Rows& elongation_rates();
  ModeRows& spring_modes();
  Rows& constraint_forces();
  Rows& constraint_impulses(); // sums of all impacts so far

private:
  // Times that one segment holds for.
  struct Span {
    const Segment* segment;
    Index first, count;
  };

  std::shared_ptr<const Trajectory> run;
  const System& sys;
  List<double> times;
  List<Span> spans;
  Index n_times, n_elements, n_contacts;
  std::recursive_mutex access;
  std::unique_ptr<Tangent> tangent; // of a machine that is not linear, where at_every_time() is

  std::optional<Rows> kept_states, kept_signals, kept_rates, kept_forces, kept_velocities, kept_loads,
      kept_lower, kept_upper, kept_gaps, kept_gap_rates, kept_impulses, kept_spring_forces, kept_elongations,
      kept_elongation_rates, kept_constraint_forces, kept_constraint_impulses;
  std::optional<ModeRows> kept_modes, kept_contact_modes, kept_spring_modes;
  std::optional<LoopSamples> kept_loops;

  const System& here() const;
  void meet_constraints(Rows& states);
  void evaluate_motion(); // rates and forces
  void evaluate_limits();
  void evaluate_gaps();
  void evaluate_springs();
  Vector impulses_of(
      const EventRow& impact); // on constraints, of a contact or of friction along a further direction
  // use(segment's regime, k, t, x, s) at every time
  template <class Use> void at_every_time(Use&& use);
};

} // namespace stickslip
