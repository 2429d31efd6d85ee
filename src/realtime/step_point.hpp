// Changes of the moving signals over a whole step, then state, moving signals and forces at one instant: the vector that
// the maps of a plan multiply.
#pragma once

#include "core/list.hpp"

namespace stickslip {

struct StepPoint {
  StepPoint(Index states, Index signals, Index forces)
      : store(2 * signals + states + forces + spare, 0.0), change(store.data()), x(change + signals),
        s(x + states), f(s + signals) {}
  StepPoint(const StepPoint&) = delete;
  StepPoint& operator=(const StepPoint&) = delete;

  static constexpr Index spare = 4; // maps write rows in pairs
  List<double> store;
  double *change, *x, *s, *f;
};

} // namespace stickslip
