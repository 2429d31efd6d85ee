#include "flow/flow_plan.hpp"

#include "core/budget.hpp"
#include "core/list.hpp"

#include <algorithm>

namespace stickslip {

namespace {

constexpr int longest_index = 5;

// Smallest m with A^m = 0 because of where the zeros are; 0 if there is none up to longest_index.
int nilpotency(const Matrix& A) {
  const Index n = A.rows();
  // Length of the longest chain i <- j <- k of entries that are not zero, from the ends of chains onwards.
  List<int> depth(n, 0);
  for (int round = 0; round <= longest_index; ++round) {
    bool changed = false;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (A(i, j) != 0.0 && depth[i] <= depth[j]) {
          depth[i] = depth[j] + 1;
          if (depth[i] >= longest_index) return 0;
          changed = true;
        }
    if (!changed) break;
  }
  int deepest = 0;
  for (int d : depth) deepest = std::max(deepest, d);
  return deepest + 1;
}

} // namespace

FlowPlan::FlowPlan(const Regime& r) : regime(&r), index(nilpotency(r.Ax)) {
  if (index > 0) return;
  List<bool> known(r.Ax.rows(), false);
  for (bool more = true; more;) {
    more = false;
    Budget::spend(r.Ax.size());
    const List<bool> before = known;
    for (Index i = 0; i < r.Ax.rows(); ++i) {
      if (known[i]) continue;
      bool ends = true;
      for (Index j = 0; j < r.Ax.rows(); ++j) ends = ends && (r.Ax(i, j) == 0.0 || before[j]);
      if (!ends) continue;
      known[i] = more = true;
      ending.push_back(i);
    }
    longest += more;
  }
  Index moving = 0;
  for (Index i = 0; i < r.Ax.rows(); ++i) {
    if (r.Ax.row(i).isZero(0.0) && r.As.row(i).isZero(0.0)) continue;
    (moving == 0 ? first : second) = i;
    if (++moving > 2) return;
  }
  swings = moving == 2 && oscillation.set(r.Ax(first, first), r.Ax(second, first), r.Ax(first, second),
                                          r.Ax(second, second));
}

const List<SlowSubspace>& FlowPlan::slow_subspaces() const {
  if (!taken_apart) parts = stickslip::slow_subspaces(regime->Ax);
  taken_apart = true;
  return parts;
}

} // namespace stickslip
