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

#include <cmath>

namespace stickslip {

// y = c + M u for a few rows and columns, column by column, rows in pairs; the number of rows is known to the
// compiler up to 16. y needs room for rows().
class SmallMap {
public:
  SmallMap() = default;
  SmallMap(const Vector& constant, const Matrix& columns);
  void operator()(const double* u, double* y) const { run(data.data(), height, width, u, y); }
  Index rows() const { return height; } // even
  double row(Index i, const double* u) const { return data[i] + linear_row(i, u); }
  double terms(Index i, const double* u) const { // of a row: the sum of their magnitudes
    const double* d = data.data() + i;
    double sum = std::abs(*d);
    for (Index j = 0; j < width; ++j) sum += std::abs(*(d += height) * u[j]);
    return sum;
  }
  double linear_row(Index i, const double* u) const { // without the constant
    const double* d = data.data() + i;
    double sum = 0.0;
    for (Index j = 0; j < width; ++j) sum += *(d += height) * u[j];
    return sum;
  }

private:
  using Kernel = void (*)(const double* data, Index height, Index width, const double* u, double* y);
  List<double> data;
  Index height = 0, width = 0;
  Kernel run = nullptr;
};

// constant + sum of weights times entries of (x, varying signals).
struct SparseRow {
  struct Entry {
    Index at;
    double weight;
  };
  double constant = 0.0;
  List<Entry> entries;

  double operator()(const double* xs) const { return constant + linear(xs); }
  double linear(const double* xs) const {
    double sum = 0.0;
    for (const Entry& e : entries) sum += e.weight * xs[e.at];
    return sum;
  }
};

// Signals that move during or between steps, and values of all others.
struct Moving {
  List<Index> signals;
  Vector still; // of all signals; zero where they move
  Index size() const { return signals.size(); }
};

// One nonlinear force f = N phi(u) + viscous(u).
struct CurvedForce {
  enum class Kind : std::int8_t { dry, viscous, both, spring, delayed };
  Kind kind = Kind::dry;
  SparseRow u, load;
  const Friction* element = nullptr;
  const Stribeck* stribeck = nullptr; // its law if it has a single one, which the compiler can then inline
  int mode = 0;
  unsigned branch = 0;
};

struct CurvedValue {
  double u = 0.0, load = 0.0, f = 0.0;
  double by_u = 0.0, by_load = 0.0;
};
CurvedValue evaluate(const CurvedForce& channel, const double* xs);

// Projection to zero: x += change * values makes the values zero, with the least change in the metric of the masses.
struct Projection {
  List<SparseRow> rows;
  Matrix change;

  void operator()(double* xs, double* values) const; // values: room for one of each row
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

  // Rounding of a guard's value, relative to its terms. A flight may stay below it.
  double rounding(Index guard, const double* xsf) const {
    return stickslip::tolerance::polynomial * guards.terms(guard, xsf);
  }
  // Guards with these values that have fired; contacts that are met alone.
  bool any_fired(const List<double>& values) const;
  bool any_strikes(const List<double>& values) const;
};

RealTimePlan make_plan(const System& sys, const Regime& regime, const Moving& moving, double h,
                       const Vector& velocity_tolerance, const Vector& force_tolerance);

} // namespace stickslip
