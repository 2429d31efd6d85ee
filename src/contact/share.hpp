// Forces that rigidity does not determine: several sticking elements on one body, one contact listed twice.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::contact {

// x = x0 + Z y with Z orthonormal; the first `normals` entries of x are normal forces, the others sticking elements,
// whose limits are low_a + low_b x(load) <= x <= high_a + high_b x(load), load < 0 for a prescribed one. `effects`: of
// unit normal forces, as columns; empty if preload need not be excluded.
struct ForceLimits {
  List<Index> load;
  Vector low_a, low_b, high_a, high_b;
  Matrix effects;
};

// The rule: of all forces within all limits, without preload (preload.hpp), those of least norm; where no normal force
// shifts, in units of the square roots of the limits, so that elements which hold one body alone use equal parts of
// theirs. One body held by two elements of 1 N and 10 N holds 11 N. False if no forces are within all limits.
// utilisation: the greatest |F_i| / limit_i; where the limits leave out 0, both count from the one next to it.
bool share(const Vector& x0, const Matrix& Z, Index normals, const ForceLimits& limits, Vector& x,
           double& utilisation);

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
