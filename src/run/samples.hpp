// A run sampled on a grid of times, values from the right. Each group of signals is evaluated when it is first
// asked for, and kept.
#pragma once

#include "core/list.hpp"
#include "dynamics/tangent.hpp"
#include "model/variable.hpp"
#include "run/loop_signals.hpp"
#include "run/trajectory.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace stickslip {

class Samples {
public:
  // Throws InvalidArgument unless the times lie within the run and do not decrease.
  Samples(std::shared_ptr<const Trajectory> run, List<double> times);

  Rows& states() { return kept(kept_states, &Samples::evaluate_states); }
  Rows& signals() { return kept(kept_signals, &Samples::evaluate_signals); }
  Rows& rates() { return kept(kept_rates, &Samples::evaluate_motion); } // x'
  // Friction elements, then normal forces of contacts.
  Rows& forces() { return kept(kept_forces, &Samples::evaluate_motion); }
  // Relative velocities of friction elements.
  Rows& velocities() { return readings(Read::velocity, n_elements); }
  Rows& loads() { return readings(Read::load, n_elements); }
  // Forces that a sticking element can take; NaN where it does not stick.
  Rows& lower_limits() { return kept(kept_lower, &Samples::evaluate_limits); }
  Rows& upper_limits() { return kept(kept_upper, &Samples::evaluate_limits); }
  ModeRows& modes() { return kept(kept_modes, &Samples::evaluate_modes); } // of friction elements
  Rows& gaps() { return readings(Read::gap, n_contacts); }
  Rows& gap_rates() { return readings(Read::gap_rate, n_contacts); }
  ModeRows& contact_modes() { return kept(kept_contact_modes, &Samples::evaluate_contact_modes); }
  // Sums of all impacts so far.
  Rows& normal_impulses() { return kept(kept_impulses, &Samples::evaluate_normal_impulses); }
  LoopSamples& loops() { return kept(kept_loops, &Samples::evaluate_loops); }
  Rows& spring_forces() { return readings(Read::spring_force, sys.springs.size()); }
  Rows& elongations() { return readings(Read::elongation, sys.springs.size()); }
  Rows& elongation_rates() { return readings(Read::elongation_rate, sys.springs.size()); }
  ModeRows& spring_modes() { return kept(kept_spring_modes, &Samples::evaluate_spring_modes); }
  Rows& constraint_forces() { return kept(kept_constraint_forces, &Samples::evaluate_constraint_forces); }
  // Sums of all impacts so far.
  Rows& constraint_impulses() {
    return kept(kept_constraint_impulses, &Samples::evaluate_constraint_impulses);
  }

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

  std::optional<Rows> kept_states, kept_signals, kept_rates, kept_forces, kept_lower, kept_upper,
      kept_impulses, kept_constraint_forces, kept_constraint_impulses;
  std::map<Read, Rows> kept_readings;
  std::optional<ModeRows> kept_modes, kept_contact_modes, kept_spring_modes;
  std::optional<LoopSamples> kept_loops;

  template <class T> T& kept(std::optional<T>& of, void (Samples::*evaluate)()) {
    const std::lock_guard lock(access);
    if (!of) (this->*evaluate)();
    return *of;
  }

  Rows& readings(Read what, Index count); // of each element of its kind

  const System& here() const;
  void make_tangent();
  void meet_constraints(Rows& states);
  void evaluate_states();
  void evaluate_signals();
  void evaluate_motion(); // rates and forces
  void evaluate_limits();
  void evaluate_modes();
  void evaluate_contact_modes();
  void evaluate_normal_impulses();
  void evaluate_loops();
  void evaluate_spring_modes();
  void evaluate_constraint_forces();
  void evaluate_constraint_impulses();
  Vector impulses_of(
      const EventRow& impact); // on constraints, of a contact or of friction along a further direction
  // add(event, sum) for each event up to each time
  template <class Add> void accumulate(Rows& sums, Add&& add);
  // mode(modes, k) of each of them
  template <class Of> void fill_modes(ModeRows& into, Of&& mode);
  // use(segment's regime, k, t, x, s) at every time
  template <class Use> void at_every_time(Use&& use);
};

} // namespace stickslip
