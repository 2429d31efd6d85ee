// Forces that rigidity does not determine: several sticking elements on one body, one contact listed twice.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::contact {

// x = x0 + Z y; the first `normals` entries of x are normal forces, the others sticking elements, whose limits are
// low_a + low_b x(load) <= x <= high_a + high_b x(load), load < 0 for a prescribed one. `effects`: of unit normal
// forces, as columns; empty if preload need not be excluded.
struct ForceLimits {
  List<Index> load;
  Vector low_a, low_b, high_a, high_b;
  Matrix effects;
};

// The rule: of all forces within all limits, without preload (preload.hpp), those of least norm; where no normal force
// shifts, in units of the square roots of the limits, so that elements which hold one body alone use equal parts of
// theirs. One body held by two elements of 1 N and 10 N holds 11 N. False if no forces are within all limits.
bool share(const Vector& x0, const Matrix& Z, Index normals, const ForceLimits& limits, Vector& x);
// Some normal force shifts; `normals`: the rows of Z that are theirs.
bool loads_shift(const Eigen::Ref<const Matrix>& normals);
// The units of the norm of sticking elements alone. One without a limit (a released brake) holds next to nothing.
Vector units_of_norm(const Vector& limits);

} // namespace stickslip::contact
