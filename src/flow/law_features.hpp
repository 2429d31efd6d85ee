// Places of friction laws that the error estimate of a step does not see: rest, from which a slip grows, the peak of a
// curve close to it, corners of a table, bends of a bristle's rate.
#pragma once

#include "dynamics/state.hpp"
#include "flow/options.hpp"
#include "flow/step_signals.hpp"

namespace stickslip {

class LawFeatures {
public:
  LawFeatures(const System& sys, const Options& options, StepSignals& signals);

  // Elements that leave rest; `rate`: x' at the start of the step. True if one of them has no velocity yet.
  bool find_departing(const Regime& r, const State& state, const Vector& rate);
  void no_departing() { departing.clear(); }
  // The error of their velocities at x1, h after the start, in units of the tolerance; 0 where none leaves rest.
  double departing_error(const State& state, double h, const Vector& x1, const Vector& error);
  // Shortens a step to x1 that would pass such a place; false where it does not.
  bool shorten(const Regime& r, const State& state, const Vector& rate, const Vector& x1, double& h);

private:
  const System& sys;
  const Options& options;
  StepSignals& signals;
  List<Index> departing; // elements whose velocity grows out of zero
  Vector soon;           // the state a little after the start

  double part_to_peak(const Regime& r, const State& state, const Vector& x1) const;
  double part_to_corner(const Regime& r, const State& state, const Vector& rate, const Vector& x1, double h);
  double part_to_bend(const Regime& r, const State& state, const Vector& rate, const Vector& x1, double h);
};

} // namespace stickslip
