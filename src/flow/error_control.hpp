// The method and the length of an integrated step: proposed by the step before, no longer than the error estimate can
// see, and short enough for the tolerance.
#pragma once

#include "flow/driven_sizes.hpp"
#include "flow/law_features.hpp"
#include "flow/trial_step.hpp"

namespace stickslip {

class ErrorControl {
public:
  ErrorControl(const System& sys, const Options& options, RightHandSide& rhs, TrialStep& trial,
               Matrix& coefficients);

  // Tolerances of a step from the state, its method, and what that needs at the start.
  void begin(const Regime& r, const State& state);
  double propose(const Regime& r, State& state, double horizon);
  // The first length, from h downwards, at which the error is small enough; 0 where the flow is steeper than time
  // can resolve.
  double within_tolerance(const Regime& r, State& state, double h);
  // Error of the last trial, h long, in units of the tolerance.
  double error(const Regime& r, const State& state, double h);
  // Tolerance of state i at the value x.
  double tolerance_of(Index i, double x) const { return atol(i) + options.rtol * std::abs(x); }

private:
  const System& sys;
  const Options& options;
  RightHandSide& rhs;
  TrialStep& trial;
  Matrix& C;
  LawFeatures features;
  DrivenSizes driven;
  Vector atol, work;

  void set_tolerances(const Regime& r, const State& state);
  bool looks_stiff(const Regime& r, const State& state) const;
  void choose_method(const Regime& r, const State& state);
  double longest_step(const Regime& r, const State& state);
};

} // namespace stickslip
