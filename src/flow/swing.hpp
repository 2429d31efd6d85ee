// One oscillation under constant forces, such as the slip of a block on a spring: closed form, for steps of any length.
#pragma once

#include "core/oscillation.hpp"
#include "dynamics/state.hpp"
#include "flow/flow_plan.hpp"
#include "flow/step.hpp"

namespace stickslip {

class Swing {
public:
  explicit Swing(const System& sys);

  // A step no longer than `limit`, to the first guard that fires. False if some guard starts so close to zero that it takes
  // a series to tell where it goes; nothing has changed then.
  bool take(const FlowPlan& plan, const Vector& signals, const State& state, double limit, Step& step);
  // tau after its start.
  void state_at(double tau, double* x) const;
  // Part of it as polynomials: from `offset` after its start on, no longer than it lasts.
  Step expand(const Step& whole, double offset, Matrix& C);

private:
  const System& sys;
  Oscillation oscillation;
  Index first = 0, second = 0;
  double rate[2] = {}, turned[2] = {}; // r and B r
  OscillationWeights weights{};        // at the time `near`
  double near = -1.0;
  Vector start, work;
  List<double> times; // when each guard fires

  struct Rates { // at the start, and the sizes of their terms
    double r[2], b[2], size[2];
  };
  Rates rates_at_start(const FlowPlan& plan, const double* x, const Vector& signals) const;
  double reach(const Rates& rates, double limit) const;
};

} // namespace stickslip
