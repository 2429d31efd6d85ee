#include "flow/driven_sizes.hpp"

#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

bool DrivenSizes::update(const Matrix& A, const State& state) {
  const double now = tolerance::short_time * state.time_scale;
  if (A.data() == of && now == time && state.nominal == nominal) return false;
  of = A.data(), time = now, nominal = sizes = state.nominal;
  bool grows = true;
  for (Index pass = 0; grows && pass < std::min<Index>(A.rows(), 16); ++pass) {
    grows = false;
    for (Index i = 0; i < A.rows(); ++i) {
      double driven = 0.0;
      for (Index j = 0; j < A.rows(); ++j) driven += std::abs(A(i, j)) * sizes(j);
      driven *= time;
      if (sizes(i) > 0.0 ? driven > tolerance::unrelated * sizes(i) : driven > 0.0)
        sizes(i) = driven, grows = true;
    }
  }
  for (double& size : sizes)
    if (!(size > 0.0)) size = 1.0;
  return true;
}

} // namespace stickslip
