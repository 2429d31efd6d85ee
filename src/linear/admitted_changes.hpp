// Changes of the states that the modes of a machine admit. Constraints and closed contacts hold distances and their rates.
// Sticking elements and locked clutches hold velocities, and displacements where their direction does not turn: a
// displacement that is held is no state of the linearised machine.
#pragma once

#include "dynamics/regime.hpp"
#include "dynamics/tangent.hpp"

namespace stickslip {

// Rows of what is held, over the states: R dx = 0.
struct HeldRows {
  Matrix places;     // of positions alone
  Matrix velocities; // of velocities; where rows turn also of positions
};
// `at`: of a machine that is not linear, at the state; else null.
HeldRows held_rows(const System& sys, const Regime& regime, double t, const Vector& x, Tangent* at);

// The independent states, and changes of all states by theirs; those in `constant` do not change.
struct Admitted {
  List<Index> free;
  Matrix all;
};
Admitted admitted(const System& sys, const HeldRows& rows, const List<Index>& constant);

} // namespace stickslip
