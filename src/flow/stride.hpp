// The flow of a regime over the recurring interval between sampling instants: its Taylor series by x0 and by the forces
// of elements that slide on a curve F(v), made once, and bounds of every guard within it. Such forces are parabolas of
// time through their values at the start, the middle and the end:
//   f(theta) = f0 + a1 theta + a2 theta^2,   x(theta) = sum_k C_k theta^k,   C_k = M_k (1, x0, f0, a1, a2).
// For an interval the arguments of M_k are stored; C_k are computed on demand.
#pragma once

#include "core/list.hpp"
#include "core/row_blocks.hpp"
#include "core/tolerances.hpp"
#include "core/types.hpp"
#include "dynamics/field.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/state.hpp"
#include "flow/stride_map.hpp"

#include <cmath>
#include <limits>
#include <memory>

namespace stickslip {

// Forces of elements that slide on curves F(v), as parabolas of time over an interval: f0, then a1, then a2 of each.
class ParabolicForces {
public:
  static constexpr Index powers = 3; // of theta in a force
  static constexpr Index nodes = 3;

  void resize(Index elements) { curved.resize(elements); }
  Index count() const { return curved.size(); }
  // Velocities of the elements at the nodes and their rates at the start, by forces, and each force in units of what does
  // not count.
  void set(const Matrix& speeds, const Vector& forces) { by_forces = speeds, per_force = forces; }
  // Forces by iteration, from what the velocities and rates are without them: a force changes velocities little in one
  // interval. False where it does not end, or where the curves bend too much for parabolas.
  bool find(const Field& curves, const double* speed, double* force);

private:
  struct Curved {                // one force, beside its value at the start
    double slope, second, third; // of its series by velocity, which holds
    double reach;                // so far; 0: not known
    double neglected;            // remainder, per square of a velocity, in units of the negligible error
    double to_middle, to_end;    // changes of the velocity with forces as they are at the start
    double at_middle, at_end;    // deviation of its curve from the tangent
  };
  List<Curved> curved;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_forces;
  Vector per_force;

  double begin_curve(const Field& curves, Index k, double v0);
  void find_bends(const Field& curves, Index k, double v0, double force, double to_middle, double to_end);
  bool are_parabolas(const double* speed, const double* force) const;
};

// Bounds of guards over an interval, by their values and slopes at the start and by forces.
struct GuardBounds {
  Vector margin;   // how far below zero a guard is certainly off
  Vector bend;     // bound of the terms beyond the slope, by states
  Matrix by_force; // likewise

  // True if they exclude that a guard fires.
  bool exclude(const double* value, const double* rate, const Eigen::Ref<const Vector>& force) const {
    for (Index g = 0; g < margin.size(); ++g) {
      double most = value[g] + margin[g] + std::abs(rate[g]) + bend[g];
      for (Index j = 0; j < force.size(); ++j) most += by_force(g, j) * std::abs(force[j]);
      if (!(most < 0.0)) return false;
    }
    return true;
  }
};

// Binary exponents of the sizes of states: so much about a state is enough, and seldom changes.
class SizeClass {
public:
  explicit SizeClass(Index states) : exponents(states, std::numeric_limits<int>::max()), least(states) {}

  bool update(const Vector& nominal); // true if they have changed
  // The power of two at or below the size of each state.
  const Vector& powers_of_two() const { return least; }

private:
  List<int> exponents;
  Vector seen, least;
};

class Stride {
public:
  // Over h, with signals that keep their values s; those in `varying` must act neither on the motion nor on a guard.
  Stride(const System& sys, const Regime& regime, double h, const Vector& s, const List<Index>& varying);

  bool is_over(double h) const { return same_interval(length, h); }
  static bool same_interval(double a, double b) { // products k T differ by rounding
    return std::abs(a - b) <= tolerance::same * a;
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
  double length;
  Index states, guards;
  bool possible = false;
  ParabolicForces forces;
  SizeClass sizes;
  // Further rows over (1, x0, f0, a1, a2): terms of guards; velocities of elements at the nodes, and their rates at the
  // start.
  Matrix of_guards, speeds;
  Matrix bounds;        // of terms by x0
  Matrix effect;        // of each element's force on x'
  Matrix guards_by_all; // sizes of a guard's terms
  // The end, guards and their slopes at the start, and those velocities: by (1, x0), by forces.
  RowBlocks by_state, by_force;
  GuardBounds guard_bounds;
  Vector given, quick, of_forces, row;

  void fit(double rtol);
  void sum_up(const Vector& most);
  bool far_from_guards();
};

} // namespace stickslip
