// The points of Radau IIA with three stages, and the weights a_ij = integral of the j-th Lagrange polynomial up to c_i:
// with V_ik = c_i^k,  A V = diag(c) V diag(1 / (k + 1)).
#pragma once

#include "core/types.hpp"

#include <array>

namespace stickslip {

struct RadauPoints {
  static constexpr Index stages = 3;
  std::array<double, stages> at{0.155051025721682190, 0.644948974278317810, 1.0};
  Matrix a, aa; // and its square

  RadauPoints();
};

const RadauPoints& radau_points();

// Where the k-th of equal parts of a step begins.
double step_part(double t0, double t1, Index k, Index parts);

} // namespace stickslip
