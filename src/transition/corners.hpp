// Sides of the conditions in formulas of the motion at one instant: on which side of zero each is just after it.
//
// A condition that has passed zero is on its other side. One that is at zero without having passed it, or that a touch
// brought there, is decided by its first derivative that is not zero, in the motion that follows. Where a formula jumps
// at its corner both sides may lead back to it: then neither holds, and there is no motion.
#pragma once

#include "core/list.hpp"
#include "dynamics/state.hpp"

namespace stickslip {

class Tangent;

class Corners {
public:
  // Of a machine whose tangent `sys` is.
  Corners(const System& sys, RegimeCache& cache, Scratch& scratch);

  // Those that have fired change sides. Whether forces or accelerations jump: else nothing has to be decided.
  bool pass(State& state, const List<Guard>& fired);
  // Those that are clearly on the other side, since velocities have jumped.
  void follow(State& state);
  // Once all other modes are known: whether one at zero goes the other way.
  bool review(State& state);
  Index facing() const { return facing_; } // the condition that both sides lead back to; -1: none

private:
  const System& sys;
  RegimeCache& cache;
  Scratch& scratch;
  List<int> turns; // how often each has changed sides at this instant
  Vector sizes;
  Index facing_ = -1;

  double at_zero(Index k) const;
  Vector rates(const State& state, double tau, const Vector& xdot, const Vector& half);
  Vector motion(const State& state, Vector& force);
};

} // namespace stickslip
