// Friction without a jump that is steeper about v = 0 than velocities are resolved, such as rate-and-state laws: its force
// balances the others at a velocity far below the tolerance. Errors of its velocity count by the force that they make, and
// where the way to that balance is shorter than time resolves, a step ends on it.
#pragma once

#include "dynamics/state.hpp"
#include "flow/right_hand_side.hpp"

namespace stickslip {

class ForceBalance {
public:
  ForceBalance(const System& sys, RightHandSide& rhs);

  void begin(const Regime& r);
  bool any() const { return !steep.empty(); }
  // The greatest change of a force by the error of the motion at x1, h after the start, relative to the force there or at
  // the start; infinite if the force of the motion, which is `motion` in powers of the part of the step, is not that of the law.
  double error(const State& state, double h, const Eigen::Ref<const Matrix>& motion, const Vector& x1,
               const Vector& error);
  // True for steps that time hardly resolves.
  bool is_instant(const State& state, double h) const;
  // The proposed step h, or an instant where a velocity has just changed its sign: the force on that side of zero may not
  // be the one that acts.
  double first_step(const State& state, double h);
  // Counts a step that is taken: true if too many of them have been instants.
  bool stands_still(const State& state, double h);
  // The implicit Euler step, in the forces of these elements alone; false if numbers do not resolve its velocities.
  bool step(const State& state, double h, const Vector& rate, Vector& x1);

private:
  const System& sys;
  RightHandSide& rhs;
  const Regime* regime = nullptr;
  List<Index> steep;          // positions among the sliding elements
  List<double> at_start;      // their forces
  Vector inside, rate_inside; // a state within a step, and its rate
  Vector no_rate;
  Index instants = 0; // in a row

  double force(Index k, double v, const Vector& x);
  double force_at_start(Index k, const State& state); // of a step
  bool follows_forces(const State& state, double h, const Eigen::Ref<const Matrix>& motion);
  double velocity_in_balance(Index k, double h, double v, double before, const Vector& x);
};

} // namespace stickslip
