// A step by numerical integration: by an explicit pair or the stiff method, of a length whose error is within tolerance,
// which shows its guards and ends at the first that fires.
#pragma once

#include "flow/crossings.hpp"
#include "flow/error_control.hpp"
#include "flow/guard_samples.hpp"
#include "flow/trial_step.hpp"

#include <optional>

namespace stickslip {

class IntegratedStep {
public:
  IntegratedStep(const System& sys, const Options& options, RightHandSide& rhs, GuardPolynomials& series,
                 Crossings& crossings, Matrix& C);

  void take(const Regime& r, State& state, double horizon, Step& step);
  void forget() { trial.forget(); } // signals have got new values

private:
  const System& sys;
  GuardPolynomials& series;
  Crossings& crossings;
  Matrix& C; // nx x columns
  TrialStep trial;
  ErrorControl control;
  GuardSamples samples;

  bool resolve_guards(const Regime& r, State& state, Step& step);
  bool shows_guards(const Regime& r, const State& state, const Step& step);
  bool misses_motion(const Step& step, double theta) const;
  bool misses_guard(const Regime& r, const State& state, double theta) const;
  double confirm(const Regime& r, Index guard, const State& state, const Step& step);
  bool end_at_event(const Regime& r, State& state, Step& step);
  std::optional<double> locate(const Regime& r, Index guard, const State& state, const Step& step);
};

} // namespace stickslip
