// The flow of an affine regime over an interval between ticks of sampled controllers, which comes again and again: its
// Taylor series by x0 alone, made once, and what bounds every guard on the way.
#pragma once

#include "core/types.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/state.hpp"

#include <cmath>

namespace stickslip {

class Stride {
public:
  // Over h, with signals that keep their values s; those in `varying` must act neither on the motion nor on a guard.
  Stride(const Regime& regime, double h, const Vector& s, const List<Index>& varying);

  bool is_over(double h) const { return same_interval(length, h); }
  static bool same_interval(double a, double b) { // products k T differ by rounding
    constexpr double same = 1e-9;
    return std::abs(a - b) <= same * a;
  }
  // The first `columns` coefficients of x = sum_k C_k theta^k from the state's base_x, if they are few and it is certain
  // that no guard fires before theta = 1.
  bool take(const State& state, double* C);

  Index columns = 0;

private:
  double length;
  Index states, guards;
  bool acts_alone = false;          // no signal that varies takes part
  Matrix motion, bounds, of_guards; // terms of the series one below the other, by x0
  Vector given, given_of_guards, row;
  Matrix margin_by_sizes;
  Vector given_margin, sizes, margin; // how far below zero a guard is certainly off

  void size(const Vector& nominal);
};

} // namespace stickslip
