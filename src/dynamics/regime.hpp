// One combination of modes: its motion with all constraints of sticking eliminated, and the guards that end it. Built
// once per combination and kept.
#pragma once

#include "contact/held_limits.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "core/types.hpp"
#include "dynamics/guard.hpp"
#include "dynamics/modes.hpp"
#include "model/linear_part.hpp"
#include "model/system.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

namespace stickslip {

// After an accumulation of slips an element holds a little more than its limits.
inline Interval firmly(const Interval& limits) {
  const double more = tolerance::negligible * std::max(std::abs(limits.lo), std::abs(limits.hi));
  return {limits.lo - more, limits.hi + more};
}
inline Interval held(const Interval& limits, const FrictionMode& mode) {
  return mode.hold == Hold::firmly ? firmly(limits) : limits;
}

class Tangent;

// Work space of evaluate(); sized once, owned by the caller.
struct Scratch {
  Vector s, rate, xdot, force, guards, held, sliding, dry, z, zdot, row;
  Vector coupling; // of friction and the normal forces that load it

  // Sized by for_derivatives(): a run of linear regimes never needs them.
  Vector dry_z, zdot_v, zdot_z;
  // Derivatives by (x, t): of rates, of forces of sliding elements, of constraint forces, of normal forces alone.
  Matrix rate_rows, force_rows, held_rows, normal_rows;
  Vector memory_by_normal;
  List<Dual<element_seeds>> seeded, seeded_rate; // internal states of a law

  explicit Scratch(const System& sys);
  ~Scratch();
  void for_derivatives(const System& sys);
  Tangent& tangent(const System& sys); // of a machine that is not linear

private:
  std::unique_ptr<Tangent> where;
};

// Sticking elements whose forces are not unique hold as long as the load lies in the set (a zonotope) of loads that
// they can hold together. Each pair of its facets bounds one weighted sum of forces, which is the same for every way of
// sharing: one body held by limits of 1 N and 10 N has one facet and holds up to 11 N.
struct Facet {
  List<Index> members; // positions in `sticking` that are at their limit when the facet is reached
  Vector share;        // weight of each member's force in the sum that the facet bounds
};

// Forces that constraints exert and rigidity leaves open, the normal force of a contact among them, and the limits
// that bound them. With f = (F_sticking, lambda_closed):  margin = C f + given >= 0, and f + N y does the same to
// the motion as f for every y. The rule is in sharing.cpp.
struct Sharing {
  List<ForceLimit> limits;     // those whose margin y shifts
  Matrix C;                    // margins by forces
  Matrix N;                    // forces by y; columns orthonormal
  List<Index> group;           // of each limit: limits of one group shift together
  List<List<Index>> relieving; // sets of limits, one of which holds so that there is no preload
  List<Index> held;            // numbers among `limits` of those that hold (modes.at_limit)
  Matrix multipliers;          // of these, by forces
  Matrix held_margins;         // of these, by forces
  bool follows = false;        // friction that follows normal forces is counted in held_margins
  Matrix effect;               // forces by a margin of each that is to vanish
  // Columns: the forces caused by limits that are functions of time or of internal states.
  List<Index> varying;
  Matrix varying_effect;

  bool any() const { return !limits.empty(); }
};

// Forces that hold, from x' without them, with the sizes of their terms, which may cancel; surfaces that signals move add
// terms.
struct HoldingForces {
  Matrix entries, terms, by_signals;
};

struct Regime {
  Modes modes;
  const LinearPart* linear = nullptr; // the plant with its springs and controllers
  List<Index> sticking;               // elements held by a constraint
  List<Index> sliding;  // all others that touch, presliding too; their forces are functions of the state
  List<Index> closed;   // contacts held by a constraint
  bool coupled = false; // some sliding element is loaded by a contact
  // x' = A x + S s + E F_sliding;  (F_sticking, lambda_closed) = Lx x + Ls s + LF F_sliding
  Matrix A, S, E, Lx, Ls, LF;
  HoldingForces L;             // no sizes where rows turn
  bool shared = false;         // forces of sticking elements are not unique; L* then give those of least norm
  Matrix indeterminate_forces; // columns: shifts of sticking forces that change nothing; orthonormal
  List<Facet> facets;          // where normal forces are unique
  Sharing sharing;             // where they are not, and wherever rows turn
  Redundancy found;            // where rows turn and it was still to be found

  bool affine =
      false;     // forces of sliding elements are linear in (x, s): then they are folded into the next four
  Matrix Ax, As; // x' = Ax x + As s
  List<Guard> guards;
  List<GuardTerms> guard_terms; // of each; a law's switches have none
  Matrix Gx, Gs;                // guard values of an affine regime; a guard fires when it becomes positive
};

// x', and in `force` the force at every element (opposing its velocity) followed by the normal force of every
// contact, at time t with signals s.
void evaluate(const System& sys, const Regime& regime, double t, const double* x, const double* s,
              double* xdot, double* force, Scratch& scratch);

// Determinant of 1 - LF dry, which says how normal forces follow the friction that they load; where it comes to zero they
// grow without bound (Painleve).
double coupling(const System& sys, const Regime& regime, double t, const double* x, const double* s,
                Scratch& scratch);

// Replaces statically indeterminate forces of sticking elements by those of least norm within their limits.
// For output only; the motion does not depend on the sharing.
void share_forces(const System& sys, const Regime& regime, double t, const double* x, const double* s,
                  double* force, Scratch& scratch);

// Derivatives of the sharing's margins by the shared forces, with the friction that follows them; by its multipliers,
// under the sliding friction that evaluate() stored in `scratch`; and a test whether a regime can hold these limits.
Matrix margins_by_shared(const System& sys, const Regime& regime);
Matrix margins_by_multipliers(const System& sys, const Regime& regime, const Scratch& scratch);
bool can_hold(const System& sys, const Regime& regime, const List<Index>& limits);
// Sets of contacts that relieve of preload, and which limits shift together: known of a linear machine's regimes, to be
// found where rows turn.
void find_relief(const System& sys, const Regime& regime, Sharing& sharing);
// Active limits just after an instant, see contact/share.hpp; limits that no sharing changes can only be exceeded.
contact::HeldLimits hold_limits(const Sharing& sharing, const Matrix& by_forces, const Matrix& by_multipliers,
                                const Matrix& margins, const Matrix& size);

// Guard values; `force` as from evaluate().
void guard_values(const System& sys, const Regime& regime, double t, const double* x, const double* s,
                  const double* force, double* guards, Scratch& scratch);

// Size of the forces and limits that change together with this limit of the sharing.
double sharing_size(const System& sys, const Regime& regime, Index limit, double t, const double* x,
                    const double* s, const double* force);

// The linear form that a guard is the value of, but for its sign; null where it is none.
const Form* form_of(const System& sys, const Regime& regime, const Guard& guard);

// Size of the terms of a guard, in its unit: a value that is a small fraction of it may be rounding error. 0 for
// switches of laws.
double guard_size(const System& sys, const Regime& regime, const Guard& guard, double t, const double* x,
                  const double* s, const double* force, const Vector& nominal);

// Jacobian d x' / d x and the partial derivative d x' / d t, with signal rates sdot.
void jacobian(const System& sys, const Regime& regime, double t, const double* x, const double* s,
              const double* sdot, Matrix& J, Vector& dfdt, Scratch& scratch);

// Values of those signals that follow the state; of a linear machine there are none.
void state_signals(const System& sys, const Modes& modes, double t, const double* x, double* s,
                   Scratch& scratch);

// Loads by reactions in these modes, among the signals; false if there are none.
bool follow_reactions(const System& sys, const Modes& modes, double t, const double* x, double* s,
                      Scratch& scratch);

// Values of all other signals at t, from the right; of their derivatives.
void signal_values(const System& sys, double t, double* s);
// Signals at t by the pieces that hold at `frame`, for motions that begin there.
void signals_beside(const System& sys, double frame, double t, double* s);
void signal_rates(const System& sys, double t, double* sdot);

double relative_velocity(const Friction& element, const double* x, const double* s);
// Size that a linear guard of this element's velocity has, for thresholds.
double velocity_size(const Friction& element, const Vector& nominal);
double gap_size(const Contact& contact, const Vector& nominal, const double* s);

// Load on an element as far as it is given; friction of a contact counts per unit of its normal force, so 1.
double normal_load(const Friction& element, int load_stretch, const double* x, const double* s);

// The normal force lambda of loading_contact() adds load_per_normal() lambda: all of the load where friction
// belongs to a contact, a share where a contact's force is the load force of an automaton, nothing elsewhere.
inline Index loading_contact(const Friction& element) {
  return element.contact >= 0 ? element.contact : element.load_contact;
}
inline double load_per_normal(const Friction& element) {
  return element.contact >= 0 ? 1.0 : element.load_contact >= 0 ? element.load_per_force : 0.0;
}
double total_load(const System& sys, const Friction& element, int load_stretch, const double* x,
                  const double* s, const double* force);

// Forces that a sticking element can take per unit of its load, and under the load that `force` makes.
Interval unit_limits(const Friction& element, double load, double t, const double* x);
Interval stick_limits(const System& sys, const Friction& element, int load_stretch, double t, const double* x,
                      const double* s, const double* force);
// Limits of the force of a sticking element in these modes.
Interval holding_limits(const System& sys, const Modes& modes, Index element, double t, const double* x,
                        const double* s, const double* force);
// A constraint holds the element: it sticks, is rigid, and its motion is not prescribed.
inline bool is_held(const Friction& p, const FrictionMode& now) {
  return now.sticks() && p.traits.sticks && p.surface_travel < 0 && !p.prescribed;
}
// At rest along a prescribed motion that has not begun yet: without a force.
inline bool is_unmoved(const Friction& p, const FrictionMode& now) {
  return p.prescribed && now.sticks() && p.traits.sticks && p.surface_travel < 0 && now.force_side() == 0;
}
// A rigid element that its lagged force holds; 0, or the side.
int held_by_lag(const Friction& element, const Modes& modes, Index i);

// May be used by several threads at once; a regime stays where it is.
class RegimeCache {
public:
  const Regime& get(const System& sys, const Modes& modes);
  const LinearPart& linear(const System& sys, const SwitchModes& modes);
  Index size() const { return regimes.size(); }
  void clear(); // of a machine whose rows have turned

private:
  std::recursive_mutex access;
  std::map<SwitchModes, std::unique_ptr<LinearPart>> parts;
  std::map<Modes, std::unique_ptr<Regime>> regimes;
  const Regime* last = nullptr;
};

} // namespace stickslip
