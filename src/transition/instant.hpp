// The data of one instant: the machine, its state, the modes until now, and the sizes below which values count as zero.
#pragma once

#include "core/list.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/state.hpp"
#include "transition/mode_changes.hpp"
#include "transition/sign_after.hpp"
#include "transition/transition.hpp"

namespace stickslip {

class Corners;

// Made once per run; keeps its memory between instants.
struct Instant {
  const System& sys;
  RegimeCache& cache;
  Tangent* tangent; // where sys is the tangent of a machine that is not linear; else null
  Corners* corners; // where formulas have any; else null
  Cutoffs cutoffs;
  Scratch& w;
  State* state = nullptr;
  Jump* jump = nullptr;
  double t = 0.0;
  bool starting = false;
  Modes before;
  Vector signals;          // at t
  Matrix signal_series;    // Taylor coefficients, see expand_signals()
  Vector terms;            // sizes of the terms of x', without constraint forces
  Vector constraint_terms; // sizes of the terms that constraint forces add, in the previous modes
  Vector impact_terms;     // largest change of each state by a single impulse at this instant
  Vector contact_force;    // normal force of every contact: before the instant, then after the decision
  Vector xdot;

  Instant(const System& s, RegimeCache& c, Scratch& scratch, const Cutoffs& cut, Tangent* at,
          Corners* of_formulas)
      : sys(s), cache(c), tangent(at), corners(of_formulas), cutoffs(cut), w(scratch),
        signals(Vector::Zero(s.ns())), contact_force(Vector::Zero(s.contacts.size())) {}

  void begin(State& at, Jump& record);
  void size_terms(); // of x', constraint forces included
  // Rows and values of a machine that is not linear, after its state has changed.
  void look_again();
  void expand_signals();
  double* x() const { return state->base_x.data(); }
  const double* s() const { return signals.data(); }
  const LinearPart& linear() const { return cache.linear(sys, state->modes); }
  const Regime& regime(const Modes& modes) const { return cache.get(sys, modes); }
  void evaluate(const Regime& r) { // x' into xdot, forces into w.force
    xdot.setZero(sys.nx);
    stickslip::evaluate(sys, r, t, x(), s(), xdot.data(), w.force.data(), w);
  }

  FrictionMode& mode(Index i) const { return state->modes.friction[i]; }
  const FrictionMode& was(Index i) const { return before.friction[i]; }
  double v(Index i) const { return relative_velocity(sys.friction[i], x(), s()); }
  double v_size(Index i) const;
  // Acceleration of an element's relative velocity in the motion of these modes.
  double acceleration(Index i, const Modes& modes) {
    evaluate(regime(modes));
    return relative_acceleration(sys.friction[i], xdot, signals);
  }
  double load(Index i) const; // normal load; on a contact per unit of its force
  // The law has a jump at v = 0, and the element is loaded.
  bool set_valued(Index i) const { return sys.friction[i].traits.sticks && !mode(i).free; }
  bool presliding(Index i) const { return sys.friction[i].surface_travel >= 0; }
  bool contact_friction(Index i) const { return sys.friction[i].contact >= 0; }
  // The load begins at this instant: before it no force held or stopped the element.
  bool load_begins(Index i) const { return was(i).free && !mode(i).free; }
  void set_mode(Index i, Mode to) { enter(mode(i), sys.friction[i], to, x()); }

  double gap(Index j) const { return value(sys.contacts[j].gap, x(), s()); }
  double rate(Index j) const { return value(sys.contacts[j].rate, x(), s()); }
  double rate_size(Index j) const;
  double no_rate(Index j) const;
};

// The force of an element depends on the side of v = 0 without a jump there.
inline bool has_sides(const Instant& at, Index i) {
  return !at.set_valued(i) && !(at.mode(i).free && at.sys.friction[i].traits.affine);
}

// Loads by reactions in the present modes; false if none changes.
bool follow_reactions(Instant& at);

// Moves positions by the least change, in the metric of the masses, that makes a form of them zero, along the effect of
// its force.
void move_onto(Instant& at, const Form& zero, const Vector& effect);

// A gap below which a contact touches.
double no_gap(const Instant& at, Index j);
// Velocity error of a constraint that held until now.
double drift(const Instant& at, const Vector& row);

} // namespace stickslip
