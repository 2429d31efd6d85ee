// What the matrix of an affine regime says about the form of its motion. Made once per regime.
#pragma once

#include "core/oscillation.hpp"
#include "simulate/regime.hpp"

namespace stickslip {

struct FlowPlan {
  const Regime* regime = nullptr;
  // A^index = 0: free flight, sticking, constant acceleration; with signals that are polynomials the motion
  // is one, too. 0: not so.
  int index = 0;
  // Two states, first and second, swing; all others hold.
  bool swings = false;
  Index first = 0, second = 0;
  Oscillation oscillation;

  explicit FlowPlan(const Regime& r);
};

} // namespace stickslip
