// Which limits of forces are active where rigidity leaves forces open.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::contact {

// Active limits at the forces of least norm, just after an instant. Margins m(tau) = sum_j margins.col(j) tau^j of
// the unconstrained forces; with multipliers mu they are m + K mu. Wanted: mu >= 0 and m + K mu >= 0, complementary,
// for all small tau > 0: Lemke's path with coefficients compared lexicographically.
// `relieving`: sets of limits of contacts (preload.hpp) of which one is active regardless of its multipliers: the one
// that gives the forces of least norm just after the instant.
struct HeldLimits {
  bool found = false;
  List<Index> held;     // limits with a multiplier
  List<Index> relieved; // of these: contacts that would only add to a preload
  List<Index> against;  // nothing found: limits that contradict each other
};
// size: the sum of the magnitudes of the terms of each coefficient.
bool within_limits(const Matrix& margins, const Matrix& size); // without any held
HeldLimits held_limits(const Matrix& K, const Matrix& margins, const Matrix& size,
                       const List<List<Index>>& relieving = {});

} // namespace stickslip::contact
