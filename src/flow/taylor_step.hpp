// A step of an affine regime by the Taylor series of its motion, in which guards are polynomials as well. Three forms: the
// series that ends (free flight, sticking, constant acceleration), that of all modes, and, where fast modes have died out,
// that of the slow ones.
#pragma once

#include "core/affine_taylor.hpp"
#include "flow/driven_sizes.hpp"
#include "flow/flow_plan.hpp"
#include "flow/guard_polynomials.hpp"
#include "flow/options.hpp"
#include "flow/step.hpp"

namespace stickslip {

class TaylorStep {
public:
  TaylorStep(const System& sys, const Options& options, StepSignals& signals, GuardPolynomials& guards,
             Matrix& C);

  // No longer than `reach`, perhaps infinite; with the polynomials of its guards.
  void take(const FlowPlan& plan, const State& state, double reach, Step& step);

private:
  const System& sys;
  const Options& options;
  StepSignals& signals;
  GuardPolynomials& guards;
  Matrix& C; // nx x columns
  DrivenSizes driven;
  StateSizes scale; // in which the series is judged

  void take_ending(const FlowPlan& plan, const State& state, Index signal_degree, double reach, Step& step);
  Index expand_ending(const FlowPlan& plan, const State& state, Index signal_degree);
  double horizon_of_roots(const FlowPlan& plan, const State& state) const;
  bool take_slow(const FlowPlan& plan, const State& state, Index signal_degree, double reach, Step& step);
  void hold_ending(const FlowPlan& plan, const State& state, Index signal_degree, Step& step);
  double part_in_sight(const Regime& r, const State& state, double h) const;
  void stretch(Step& step, Index guard_count, double factor);
};

} // namespace stickslip
