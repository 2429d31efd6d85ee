#include "sensitivity/radau.hpp"

#include "core/linalg.hpp"

#include <cmath>

namespace stickslip {

RadauPoints::RadauPoints() {
  Matrix V(stages, stages), integrals(stages, stages);
  for (Index i = 0; i < stages; ++i)
    for (Index k = 0; k < stages; ++k) {
      V(i, k) = std::pow(at[static_cast<std::size_t>(i)], k);
      integrals(i, k) = std::pow(at[static_cast<std::size_t>(i)], k + 1) / static_cast<double>(k + 1);
    }
  a = linalg::solve(V.transpose(), integrals.transpose()).transpose();
  aa = a * a;
}

const RadauPoints& radau_points() {
  static const RadauPoints points;
  return points;
}

double step_part(double t0, double t1, Index k, Index parts) {
  return k == parts ? t1 : t0 + (t1 - t0) * static_cast<double>(k) / static_cast<double>(parts);
}

} // namespace stickslip
