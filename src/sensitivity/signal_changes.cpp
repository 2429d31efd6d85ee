#include "sensitivity/signal_changes.hpp"

#include <algorithm>
#include <limits>

namespace stickslip {

SignalChanges::SignalChanges(const List<std::unique_ptr<Neighbours>>& by) {
  for (Index j = 0; j < by.size(); ++j)
    for (const auto& [i, change] : by[j]->signals) {
      const bool constant = is_constant(change);
      all.push_back(
          {j, i, &change, constant, constant ? value(change, 0.0) : 0.0, by[j]->from, by[j]->until});
      if (constant || change.period > 0.0) continue; // which has the breakpoints of the machine's own signal
      for (Index k = 1; k < change.pieces.size(); ++k) knots.push_back(change.pieces[k].start);
    }
  std::sort(knots.begin(), knots.end());
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
}

double SignalChanges::next_knot(double t) const {
  const auto at = std::upper_bound(knots.begin(), knots.end(), t);
  return at == knots.end() ? std::numeric_limits<double>::infinity() : *at;
}

double SignalChanges::frame_before(double frame, double t) const {
  const auto at = std::lower_bound(knots.begin(), knots.end(), t);
  return at == knots.begin() ? frame : std::max(frame, *(at - 1));
}

} // namespace stickslip
