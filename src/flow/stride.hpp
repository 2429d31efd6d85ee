// The flow of a regime over an interval between ticks of sampled controllers, which comes again and again: its Taylor
// series by x0 and by the forces of elements that slide on a curve F(v), made once, and what bounds every guard on the
// way. Such forces are parabolas of time through their values at the start, the middle and the end:
//   f(theta) = f0 + a1 theta + a2 theta^2,   x(theta) = sum_k C_k theta^k,   C_k = M_k (1, x0, f0, a1, a2).
#pragma once

#include "core/types.hpp"
#include "dynamics/field.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/state.hpp"

#include <cmath>

namespace stickslip {

class Stride {
public:
  // Over h, with signals that keep their values s; those in `varying` must act neither on the motion nor on a guard.
  Stride(const System& sys, const Regime& regime, double h, const Vector& s, const List<Index>& varying);

  bool is_over(double h) const { return same_interval(length, h); }
  static bool same_interval(double a, double b) { // products k T differ by rounding
    constexpr double same = 1e-9;
    return std::abs(a - b) <= same * a;
  }
  // The first `columns` coefficients of x from the state's base_x, if they are few, forces are parabolas to a small
  // share of rtol, and it is certain that no guard fires before theta = 1. `curves` is bound to the regime; it counts
  // only where that is not affine.
  bool take(const State& state, const Field& curves, double rtol, double* C);

  Index columns = 0;

private:
  static constexpr Index powers = 3; // of theta in a force

  double length;
  Index states, guards, elements = 0;
  bool possible = false;
  // What multiplies (1, x0, f0, a1, a2): terms of the series one below the other; of guards the same; velocities of
  // elements at the nodes and where the parabola is checked.
  Matrix motion, of_guards, speeds;
  Matrix bounds;        // of terms by x0
  Matrix effect;        // of each element's force on x'
  Matrix guards_by_all; // sizes of a guard's terms
  // Of states of these binary exponents.
  List<int> exponents;
  Vector least, margin,
      small_force; // sizes; how far below zero a guard is certainly off; forces that do not count
  // Of the present interval.
  Vector given, free_speed, row;

  void size(const Vector& nominal, double rtol);
  bool known(const Vector& nominal);
  bool find_forces(const Field& curves);
};

} // namespace stickslip
