// Radau IIA collocation with five stages: order 9, L-stable (Hairer, Wanner, Solving Ordinary Differential
// Equations II, section IV.5). Bristles under prescribed motion are stiff scalar equations; a high order
// makes 1e-12 cheap for them.
#pragma once

#include <Eigen/Core>

namespace stickslip {

struct Radau {
  static constexpr int stages = 5;
  using Stages = Eigen::Matrix<double, stages, 1>;
  using Square = Eigen::Matrix<double, stages, stages>;

  Stages c; // nodes in (0, 1], the last one is 1
  Square a; // the last row holds the weights
};

const Radau& radau();

} // namespace stickslip
