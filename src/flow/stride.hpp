// The flow of a regime over the recurring interval between sampling instants: its Taylor series by x0 and by the forces
// of elements that slide on a curve F(v), made once, and bounds of every guard within it. Such forces are parabolas of
// time through their values at the start, the middle and the end:
//   f(theta) = f0 + a1 theta + a2 theta^2,   x(theta) = sum_k C_k theta^k,   C_k = M_k (1, x0, f0, a1, a2).
// For an interval the arguments of M_k are stored; C_k are computed on demand.
#pragma once

#include "core/list.hpp"
#include "core/row_blocks.hpp"
#include "core/types.hpp"
#include "dynamics/field.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/state.hpp"

#include <cmath>
#include <memory>

namespace stickslip {

// The matrices M_k one below the other.
struct StrideMap {
  Matrix motion;

  Index given() const { return motion.cols(); }
  // The first `columns` coefficients of n states, from (1, x0, f0, a1, a2).
  void expand(const double* start, Index n, Index columns, double* C) const;
};

class Stride {
public:
  // Over h, with signals that keep their values s; those in `varying` must act neither on the motion nor on a guard.
  Stride(const System& sys, const Regime& regime, double h, const Vector& s, const List<Index>& varying);

  bool is_over(double h) const { return same_interval(length, h); }
  static bool same_interval(double a, double b) { // products k T differ by rounding
    constexpr double same = 1e-9;
    return std::abs(a - b) <= same * a;
  }
  // From the state's base_x to end(), if `columns` coefficients are few, forces are parabolas to a small share of rtol,
  // and it is certain that no guard fires before theta = 1. `curves` is bound to the regime; it counts only where that
  // is not affine.
  bool take(const State& state, const Field& curves, double rtol);
  const double* end() const { return quick.data(); }
  const double* start() const { return given.data(); } // argument of the map

  std::shared_ptr<const StrideMap> map;
  Index columns = 0;

private:
  static constexpr Index powers = 3; // of theta in a force

  double length;
  Index states, guards, elements = 0;
  bool possible = false;
  // Further rows over (1, x0, f0, a1, a2): terms of guards; velocities of elements at the nodes, and their rates at the
  // start.
  Matrix of_guards, speeds;
  // The end, guards and their slopes at the start, and those velocities: by (1, x0), by forces.
  RowBlocks by_state, by_force;
  Matrix bends;                                                                     // of guards, by forces
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_forces; // of speeds
  Matrix bounds;                                                                    // of terms by x0
  Matrix effect;        // of each element's force on x'
  Matrix guards_by_all; // sizes of a guard's terms
  // For states of these binary exponents.
  List<int> exponents;
  Vector seen, least; // sizes, and their powers of two
  Vector margin;      // how far below zero a guard is certainly off
  Vector bend;        // bound of the terms beyond the slope
  Vector per_force;   // of each force: in units of the negligible error
  Vector given, quick, of_forces, row;
  struct Curved {                // one force, beside its value at the start
    double slope, second, third; // of its series by velocity, which holds
    double reach;                // so far; 0: not known
    double neglected;            // remainder, per square of a velocity, in units of the negligible error
    double to_middle, to_end;    // changes of the velocity with forces as they are at the start
    double at_middle, at_end;    // deviation of its curve from the tangent
  };
  List<Curved> curved;

  void size(const Vector& nominal, double rtol);
  void sum_up(const Vector& most);
  bool known(const Vector& nominal);
  void begin_curve(const Field& curves, Index k, double v0);
  void find_bends(const Field& curves, Index k, double to_middle, double to_end);
  bool find_forces(const Field& curves);
  bool are_parabolas() const;
  bool far_from_guards();
};

} // namespace stickslip
