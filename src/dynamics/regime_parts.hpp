// Steps of building and of evaluating a regime, of no use elsewhere.
#pragma once

#include "dynamics/friction_force.hpp"
#include "dynamics/regime.hpp"

namespace stickslip {

// Hints for a regime that is built next to another one.
struct RegimeHint {
  const List<Index>* columns =
      nullptr;                     // of (x, s): of an affine regime only these of its four matrices, else all
  const Regime* held_as = nullptr; // elements and contacts hold as in this regime
  bool unconstrained = false;      // without constrain()
};
std::unique_ptr<Regime> build_regime(const System& sys, const Modes& modes, const LinearPart& linear,
                                     const RegimeHint& hint = {});

// Resting and touching elements: R x' + Rs s = 0 by forces f along -U. Friction first, then normal forces, which act
// along their constraint: they enter with the opposite sign, like friction, and are negated at the end. Kept if rows
// depend on the motion, so that solving again does not allocate.
struct Holding {
  Index friction = 0, count = 0;
  Matrix R, Rs, U;
  Vector limit;                  // size of each force, for sharing
  bool contact_friction = false; // some limit follows a normal force
  Matrix H;                      // f = H (acceleration that the forces must take away)
  Matrix driven;                 // those caused by signals
  Vector left, taken; // velocities or accelerations that must be zero, and the forces that stop them
  Vector free;        // x' without the forces that hold

  void read(const System& sys, const Regime& regime);
  bool invert(double least_pivot); // H, where nothing is redundant

  const double* x = nullptr; // state for the limits of turning rows; else null
  double t = 0.0;

private:
  Matrix factors;
  Vector unit, column, solved;
  List<int> order;
};

// x' and the forces that hold, with all constraints solved away: again where rows have turned.
void constrain(const System& sys, Regime& regime, Holding& held);
// The same for an evaluation where rows have turned: how forces hold, without the matrices of x' and of forces by states.
void renew_reactions(const System& sys, Regime& regime, Holding& held);
// The row of one coordinate's velocity alone: which state that is; -1: no such row.
Index only_state(const Matrix& rows, Index row);

// Facets of the set of forces that the sticking elements can take together, W having one column per sticking element
// and full row rank.
void find_facets(const Matrix& W, Regime& regime);

// H with f = H (acceleration to be cancelled by the forces), G being the effect of unit forces. With `without_effect`
// combinations of forces without effect: of least norm, and `shifts` an orthonormal basis of these.
Matrix least_forces(const Matrix& G, Index without_effect, Matrix& shifts);

// Impulses that set given velocities of holding rows to zero; G is the response to unit impulses. Directions that are
// equal within rounding are left out: a regime shares the forces there.
Vector impulses_to_rest(const Matrix& G, const Vector& speed);

// sharing.cpp: the limits of statically indeterminate forces, with `shifts` spanning the indeterminate part; forces
// held at the limits that the modes name; the terms of one limit's guard.
void list_limits(const System& sys, const Matrix& shifts, Regime& regime);
void hold_at_limits(const System& sys, const Holding& held, Regime& regime);
// In two steps: how they are held, friction that slides included; then forces at one state, given as if no limit held.
void find_held(const System& sys, Regime& regime);
void keep_limits(const System& sys, const Regime& regime, const Holding& held, const double* x,
                 const double* s, const Vector& sliding, Eigen::Ref<Vector> forces);
// The same for rows that depend on the motion: keeps the redundancy found before, with the margins at this state.
Redundancy redundancy(const System& sys, const Regime& regime, const Matrix& G, const Matrix& shifts);
void list_turning_limits(const System& sys, const Matrix& shifts, const Holding& held, Regime& regime);
void renew_sharing_terms(const System& sys, Regime& regime);
GuardTerms sharing_terms(const System& sys, const Regime& regime, Index limit);
bool is_shared(const Regime& regime, const ForceLimit& limit);
void follow_varying_limits(const System& sys, const Regime& regime, double t, const double* x,
                           const double* s, Eigen::Ref<Vector> held);

void list_guards(const System& sys, Regime& regime);

// Row of a closed contact among the constraint forces; -1 for an open one.
Index normal_row(const Regime& regime, Index contact);
// The row of an element's force, or of a contact's counted on behind these.
Index holding_row(const System& sys, const Regime& regime, Index force);
// Rate of change of the state per unit of the force in a row.
const Vector& holding_effect(const System& sys, const Regime& regime, Index row);
// Size of the terms of a force that holds, given by its row, whatever other forces hold; of the greatest force where rows
// turn, which are not kept.
double holding_terms(const System& sys, const Regime& regime, Index row, const double* x, const double* s,
                     const double* force);

// Normal forces with the friction in scratch.dry, from those without it: m x columns values, in place.
void solve_coupling(const System& sys, const Regime& regime, Scratch& scratch, double* values, Index columns);

} // namespace stickslip
