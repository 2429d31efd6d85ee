// Effect of constraints (model/constraints.hpp) on states, on the matrices of a regime and on forces.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

// Forces along the normals of these contacts, then friction of these elements: the rates along which each acts (a row over
// x and over the signals), and the change of x' by one unit of it (a column). Friction opposes its velocity: the product
// G = rows * columns is positive semidefinite.
struct ForceDirections {
  Matrix rows, signals, columns;
};
ForceDirections force_directions(const System& sys, const List<Index>& contacts, const List<Index>& elements);

// Positions and velocities that depend on others are computed from these: nothing drifts.
void keep_constraints(const System& sys, double t, double* x);
// Their accelerations likewise, in x' = A x + S s + E F.
void follow_constraints(const System& sys, Matrix& A, Matrix& S, Matrix& E);
void follow_constraints(const System& sys, const double* s, double* xdot);

// Constraints may determine initial values.
bool completes_start(const System& sys);

// A state at t in which positions and velocities that are NaN follow from those that are given, with the least change
// from zero in the metric of the masses. Throws where given values violate a constraint by more than the rounding of
// typed numbers; smaller violations are corrected.
Vector consistent(const System& sys, double t, const Vector& given);

// Throws where a constraint prescribes a jump of velocity within (t0, t1].
void check_constraints(const System& sys, double t0, double t1);

// Force F of each constraint, for a motion and forces as evaluate() gives them: W F = h - M q'', of least norm if it is
// not unique.
Vector constraint_forces(const System& sys, const Regime& regime, const double* x, const double* s,
                         const double* xdot, const double* force);

// The same in an impact, of generalised impulses: those of a contact with its friction, and those of friction along a
// further direction.
Vector constraint_impulses(const System& sys, const Vector& given);
Vector impulse_of_contact(const System& sys, Index contact, double normal, double tangential);
Vector impulse_of_friction(const System& sys, Index element, double tangential);

// Part of a relative velocity (row over x) due to prescribed motions of constraints, as that of a moving wall.
double prescribed_rate(const System& sys, const Vector& row, const Vector& s);

} // namespace stickslip
