// One step of the flow of a regime, by the method chosen for it, and the first guard that fires within it.
#pragma once

#include "flow/crossings.hpp"
#include "flow/guard_polynomials.hpp"
#include "flow/integrated_step.hpp"
#include "flow/right_hand_side.hpp"
#include "flow/step.hpp"
#include "flow/swing.hpp"
#include "flow/taylor_step.hpp"

#include <memory>

namespace stickslip {

class Stepper {
public:
  Stepper(const System& sys, const Options& options);
  Stepper(const Stepper&) = delete; // its parts refer to each other

  // From state.base_t, not beyond t_limit (a breakpoint or sampling instant, perhaps infinite). Coefficients are in `C`.
  void take(const Regime& regime, State& state, double t_limit, Step& step);

  void signals_changed(); // constant ones have got new values

  // The state of the step that was taken last, tau after its start.
  void state_at(const Step& step, double tau, double* x) const;
  // Part of a swing as polynomials: from `offset` after its start x0 on, no longer than it lasts.
  Step expand(const Step& step, double offset) { return swing.expand(step, offset, C); }
  void write_out(Step& of_stride);

  bool autonomous() const { return rhs.autonomous(); }
  Delays& delays() { return rhs.delays; }
  std::int64_t evaluations() const { return rhs.evaluations; }

  Matrix C; // nx x columns

private:
  const System& sys;
  const Options& options;
  RightHandSide rhs;
  GuardPolynomials guards;
  Crossings crossings;
  Swing swing;
  TaylorStep series;
  IntegratedStep integrated;
  List<std::unique_ptr<FlowPlan>> plans;
  FlowPlan* plan = nullptr; // of the present regime
  List<double> intervals;   // between sampling instants, and between these and outputs with a delay

  FlowPlan& plan_of(const Regime& r);
  bool take_stride(const Regime& r, const State& state, double horizon, Step& step);
  void take_exact(const Regime& r, State& state, double horizon, Step& step);
};

} // namespace stickslip
