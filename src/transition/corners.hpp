// Conditions in formulas of the motion: the side of zero of each just after an instant.
//
// A condition that has passed zero is on its other side. A condition at zero that has not passed it, or that only
// touched it, is decided by its first nonzero derivative in the motion that follows. If a formula jumps at its corner,
// both sides may lead back to it: then neither holds, and there is no motion.
#pragma once

#include "core/list.hpp"
#include "dynamics/state.hpp"
#include "transition/sign_after.hpp"

#include <optional>

namespace stickslip {

class Tangent;

class Corners {
public:
  // `sys` is the tangent of a nonlinear machine.
  Corners(const System& sys, RegimeCache& cache, Scratch& scratch);

  // Conditions that have fired change sides. True if forces or accelerations jump, which requires a decision.
  bool pass(State& state, const List<Guard>& fired);
  // Moves conditions that are clearly on the other side after a jump of velocities.
  void follow(State& state);
  // After all other modes are known: true if a condition at zero changes its side.
  bool review(State& state);
  // Sign of the guard of a condition, if this instant decides it.
  std::optional<SignAfter> sign_of(Index condition) const { return signs[condition]; }
  Index facing() const { return facing_; } // the condition both of whose sides lead back to it; -1: none

private:
  const System& sys;
  RegimeCache& cache;
  Scratch& scratch;
  List<int> turns;                      // number of side changes of each at this instant
  List<std::optional<SignAfter>> signs; // of conditions at zero
  Vector sizes;
  Index facing_ = -1;

  double at_zero(Index k) const;
  Vector motion(const State& state, Vector& force);
};

} // namespace stickslip
