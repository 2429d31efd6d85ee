// Alternative simulation of contacts: a fixed step without location of events (Moreau, Jean).
//
//   (1 - h theta A) x1 = (1 + h (1 - theta) A) x0 + h S (theta s1 + (1 - theta) s0) + sum of columns times
//   impulses
//
// with the velocity-level problem of contact/ for the impulses of one step: a contact takes part where its
// gap, redundant on by half a step, is closed, with  v_N1 + eps min(v_N0, 0) >= 0  complementary to  P_N >= 0,
// which is Newton's law of impact; friction bounds P_T by its level times P_N, or by h times the given load.
// Levels of falling curves and viscous parts are those of the velocity at the start of the step. First order
// in h; the impulses of contact and impact are not distinguished, and gaps are violated by about the motion of
// one step.
//
// If masses, rows or forces are functions of the motion, A, S, the columns and the rows are those half a step ahead,
// at q0 + h v0 / 2, where the gaps are evaluated too (Moreau's midpoint: Flores, Leine and Glocker 2010, section 4);
// formulas of forces are evaluated there at v0, and constraints are corrected at the end of each step.
//
// It takes curves (Coulomb, Stribeck, Tanh, Table, viscous); laws with internal states and controllers are
// refused.
#pragma once

#include "core/budget.hpp"
#include "flow/options.hpp"
#include "run/trajectory.hpp"

namespace stickslip {

Trajectory time_stepping(std::shared_ptr<Compiled> compiled, State state, const Options& options,
                         const Stop& stop);

} // namespace stickslip
