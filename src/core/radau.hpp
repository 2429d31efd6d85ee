// Radau IIA collocation: order 2 s - 1 with s stages, L-stable (Hairer, Wanner, Solving Ordinary Differential
// Equations II, section IV.5).
#pragma once

#include <Eigen/Core>

namespace stickslip {

template <int S> struct Radau {
  static constexpr int stages = S;
  using Stages = Eigen::Matrix<double, S, 1>;
  using Square = Eigen::Matrix<double, S, S>;

  Stages c;  // nodes in (0, 1], the last one is 1
  Square a;  // integrals of the Lagrange polynomials up to each node; the last row holds the weights
  Square aa; // and its square: integrals of these integrals
};

template <int S> const Radau<S>& radau(); // for 3 and 5

} // namespace stickslip
