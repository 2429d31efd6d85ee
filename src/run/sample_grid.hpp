// Quantities of a run on a grid of times, values from the right.
#pragma once

#include "core/list.hpp"
#include "dynamics/tangent.hpp"
#include "model/variable.hpp"
#include "run/loop_signals.hpp"
#include "run/trajectory.hpp"

#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace stickslip {

class SampleGrid {
public:
  // States and signals at the times of the grid, from which the other quantities are computed.
  struct Motion {
    const Rows &states, &signals;
  };

  // Throws InvalidArgument unless the times lie within the run and do not decrease.
  SampleGrid(std::shared_ptr<const Trajectory> run, List<double> times);

  Rows states();
  Rows signals() const;
  std::pair<Rows, Rows> rates_and_forces(const Motion& motion);
  // All but loads, which depend on the forces, for each element of their kind.
  std::map<Read, Rows> readings(const Motion& motion);
  Rows loads(const Motion& motion, const Rows& forces);
  // Lower and upper ones of sticking elements; NaN for the others.
  std::pair<Rows, Rows> limits(const Motion& motion, const Rows& forces);
  Rows constraint_forces(const Motion& motion, const Rows& rates, const Rows& forces);
  LoopSamples loops(const Motion& motion);
  // `velocities` of the friction elements are requested only if a law needs them.
  ModeRows friction_modes(const std::function<const Rows&()>& velocities) const;
  ModeRows contact_modes() const;
  ModeRows spring_modes() const;
  // Sums of all impacts so far.
  Rows normal_impulses() const;
  Rows constraint_impulses();

private:
  // Times in one segment.
  struct Span {
    const Segment* segment;
    Index first, count;
  };

  std::shared_ptr<const Trajectory> run;
  const System& sys;
  List<double> times;
  List<Span> spans;
  Index n_times, n_elements, n_contacts;
  std::unique_ptr<Tangent> tangent; // of a machine that is not linear, at the time of at_every_time()

  const System& here() const { return tangent ? tangent->system : sys; }
  void make_tangent();
  void meet_constraints(Rows& states);
  // Impulses on constraints, of a contact or of friction along a further direction.
  Vector impulses_of(const EventRow& impact);
  // add(event, sum) for each event up to each time
  template <class Add> Rows accumulate(Index count, Add&& add) const;
  // mode(modes, k) of each of them
  template <class Of> ModeRows fill_modes(Index count, Of&& mode) const;
  // use(segment's regime, k, t, x, s) at every time; for no elements, never
  template <class Use> void at_every_time(const Motion& motion, Index elements, Use&& use);
};

} // namespace stickslip
