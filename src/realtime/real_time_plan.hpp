// One combination of modes, prepared for steps of one length. If no element has bristles, the motion is
//   x' = A x + S s + C f,   f_j = a curve of one velocity (or travel) times a normal load,
// and a step of length h is the exact flow of the linear part with f changing linearly from f0 to f0 + d:
//   x(h) = F x + G0 (s0, f0) + G1 (s1 - s0, d),   d = slopes of f times the change of x,
// linearly implicit in the few numbers d (an exponential integrator of order 2: Cox and Matthews 2002, their ETD2 with
// f linearised; for slopes that damp faster than the step, f has its value at the end of the step, which prevents
// oscillation).
#pragma once

#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/regime.hpp"
#include "realtime/curved_force.hpp"
#include "realtime/small_map.hpp"

namespace stickslip {

// Projection to zero: x += change * values makes the values zero, with the least change in the metric of the masses.
struct Projection {
  List<SparseRow> rows;
  Matrix change;

  void operator()(double* xs, double* values) const { // values: room for one of each row
    if (!rows.empty()) project(xs, values);
  }

private:
  void project(double* xs, double* values) const;
};

struct RealTimePlan {
  const Regime* regime = nullptr;
  bool quick = false; // the maps below exist
  List<CurvedForce> curved;
  // A point is laid out as (changes of signals over a step, x, varying signals, f).
  SmallMap step;         // from the whole point: x one step later with f as it is
  List<SmallMap> halves; // the same after a half of it, a quarter, ...: for exact instants of rigid contacts
  SmallMap rate;         // from (x, s, f): x'
  SmallMap guards;       // from (x, s, f): guard values with limits fully aged
  List<SparseRow> short_guards; // short form, if each is a single velocity or the like; else empty
  Matrix end,
      through; // change of x(h) per unit of d: for f that changes linearly, and for f constant over the step
  Matrix u_end, u_through, load_end, load_through; // the same for each curved force's u and load
  struct Ageing {
    Index guard, element;
    double level; // limit per unit load, as it enters the guard
    SparseRow load;
  };
  List<Ageing> ageing;
  List<double> tolerance;       // of each guard
  Projection gaps;              // of the closed contacts
  Projection held;              // their rates, and velocities of the sticking elements
  List<List<SparseRow>> inputs; // of each controller
  bool follows = false;         // an output follows its limit

  bool exact() const { return !halves.empty(); } // instants are located on the exact flow
  // Rate of a guard with limits fully aged, for rates of (x, s, f).
  double guard_slope(Index guard, const double* rates) const {
    return short_guards.empty() ? guards.linear_row(guard, rates) : short_guards[guard].linear(rates);
  }
  // Rounding of a guard's value, relative to its terms. A flight may stay below it.
  double rounding(Index guard, const double* xsf) const {
    return stickslip::tolerance::polynomial * guards.terms(guard, xsf);
  }
  // Guards with these values that have fired; contacts that are met alone.
  bool any_fired(const List<double>& values) const {
    bool fired = false;
    for (Index k = 0; k < tolerance.size(); ++k) fired = fired || values[k] > tolerance[k];
    return fired;
  }
  bool any_strikes(const List<double>& values) const;
};

// Of each friction element: the greatest velocity and the greatest force that count as zero.
struct FrictionZeros {
  Vector velocity, force;
};

RealTimePlan make_plan(const System& sys, const Regime& regime, const Moving& moving, double h,
                       const FrictionZeros& zeros);

} // namespace stickslip
