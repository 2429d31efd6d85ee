// A run sampled on a grid of times, values from the right. Each group of signals is evaluated when it is first
// asked for, and kept.
#pragma once

#include "run/sample_grid.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace stickslip {

class Samples {
public:
  // Throws InvalidArgument unless the times lie within the run and do not decrease.
  Samples(std::shared_ptr<const Trajectory> run, List<double> times)
      : grid(std::move(run), std::move(times)) {}

  Rows& states() {
    return kept(kept_states, [this] { return grid.states(); });
  }
  Rows& signals() {
    return kept(kept_signals, [this] { return grid.signals(); });
  }
  Rows& rates() { // x'
    return kept(kept_motion, [this] { return grid.rates_and_forces(motion()); }).first;
  }
  // Friction elements, then normal forces of contacts.
  Rows& forces() {
    return kept(kept_motion, [this] { return grid.rates_and_forces(motion()); }).second;
  }
  // Relative velocities of friction elements.
  Rows& velocities() { return readings(Read::velocity); }
  Rows& loads() {
    return kept(kept_loads, [this] { return grid.loads(motion(), forces()); });
  }
  // Forces that a sticking element can take; NaN where it does not stick.
  Rows& lower_limits() {
    return kept(kept_limits, [this] { return grid.limits(motion(), forces()); }).first;
  }
  Rows& upper_limits() {
    return kept(kept_limits, [this] { return grid.limits(motion(), forces()); }).second;
  }
  ModeRows& modes() { // of friction elements
    return kept(kept_modes,
                [this] { return grid.friction_modes([this]() -> Rows& { return velocities(); }); });
  }
  Rows& gaps() { return readings(Read::gap); }
  Rows& gap_rates() { return readings(Read::gap_rate); }
  ModeRows& contact_modes() {
    return kept(kept_contact_modes, [this] { return grid.contact_modes(); });
  }
  // Sums of all impacts so far.
  Rows& normal_impulses() {
    return kept(kept_impulses, [this] { return grid.normal_impulses(); });
  }
  LoopSamples& loops() {
    return kept(kept_loops, [this] { return grid.loops(motion()); });
  }
  Rows& spring_forces() { return readings(Read::spring_force); }
  Rows& elongations() { return readings(Read::elongation); }
  Rows& elongation_rates() { return readings(Read::elongation_rate); }
  ModeRows& spring_modes() {
    return kept(kept_spring_modes, [this] { return grid.spring_modes(); });
  }
  Rows& constraint_forces() {
    return kept(kept_constraint_forces,
                [this] { return grid.constraint_forces(motion(), rates(), forces()); });
  }
  // Sums of all impacts so far.
  Rows& constraint_impulses() {
    return kept(kept_constraint_impulses, [this] { return grid.constraint_impulses(); });
  }

private:
  SampleGrid grid;
  std::recursive_mutex access;
  std::optional<Rows> kept_states, kept_signals, kept_loads, kept_impulses, kept_constraint_forces,
      kept_constraint_impulses;
  std::optional<std::pair<Rows, Rows>> kept_motion, kept_limits;
  std::optional<std::map<Read, Rows>> kept_readings;
  std::optional<ModeRows> kept_modes, kept_contact_modes, kept_spring_modes;
  std::optional<LoopSamples> kept_loops;

  SampleGrid::Motion motion() { return {states(), signals()}; }
  template <class T, class Make> T& kept(std::optional<T>& of, Make&& make) {
    const std::lock_guard lock(access);
    if (!of) of.emplace(make());
    return *of;
  }
  Rows& readings(Read what) {
    return kept(kept_readings, [this] { return grid.readings(motion()); }).at(what);
  }
};

} // namespace stickslip
