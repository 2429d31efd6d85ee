// A step by the map of a plan, with one evaluation of each curve: see real_time_plan.hpp.
#pragma once

#include "realtime/real_time_plan.hpp"
#include "realtime/step_point.hpp"

namespace stickslip {

class MappedStep {
public:
  MappedStep(Index states, Index signals, Index most_curved);

  // From a to b, one step later.
  void advance(const RealTimePlan& plan, StepPoint& a, StepPoint& b) noexcept;
  // Forces of curves at a, unless they are known.
  void find_forces(const RealTimePlan& plan, StepPoint& a) noexcept;
  void forget_forces() noexcept { known = false; }

private:
  Index nx, nv;
  bool known = false;
  List<CurvedValue> values;
  List<double> K, d, rhs;
  List<int> order;
  List<char> stiff;

  void add_one_force(const RealTimePlan& plan, StepPoint& b) noexcept;
  void add_forces(const RealTimePlan& plan, const StepPoint& a, StepPoint& b) noexcept;
  void linearise(const RealTimePlan& plan, const StepPoint& b) noexcept;
};

} // namespace stickslip
