// Most parameters (masses, springs, dampers, forces) change the motion but not the kinds of elements. Their effect on a
// regime follows from their effect on the compiled machine, once for all regimes: its constraints are differentiated in
// closed form and no regime of neighbouring machines is built.
#pragma once

#include "sensitivity/neighbours.hpp"

namespace stickslip {

// Forces of sliding elements of an affine regime by (x, s): a row for each, as they are counted there.
struct SlidingForces {
  Matrix by_x, by_s;
};
SlidingForces sliding_forces(const System& sys, const Regime& r);

// Constraints with forces of their own each, and forces that no normal force loads.
bool moves_alone(const System& sys, const Regime& r);

class MotionSlopes {
public:
  // The first kind: neighbouring machines differ only in A, S, effects of forces, and values of signals.
  MotionSlopes(const System& base, const Neighbours& p);

  bool alone() const { return is_alone; }
  // The other kind: neighbouring machines differ only in laws. Their forces and limits are functions of these columns
  // of (x, s); empty: not of this kind.
  List<Index> law_columns;
  bool laws_alone = false;  // of this kind, and all these laws are simple: see law_slopes.hpp
  List<Index> changed_laws; // of laws alone: the elements whose law changes

  struct Change {
    Matrix A, S, E, Gx, Gs; // of an affine regime all that sliding elements do is in A, S and the guards
    Matrix Lx, Ls, LF;      // of another one: of the holding forces
    bool none = true;
  };
  // For a regime that `moves_alone`; `forces`: if it is affine.
  Change of(const System& sys, const Regime& r, const SlidingForces& forces) const;

private:
  bool is_alone = false;
  void find_law_columns(const System& base, const Neighbours& p);
  Matrix A, S, effects;   // derivatives; effects of friction elements, then of contacts: columns
  Matrix present_effects; // of the machine itself
  List<Index> rows;       // of the derivatives that are not zero
};

} // namespace stickslip
