// The Taylor series of a motion over an interval that comes again and again, by what it starts with.
#pragma once

#include "core/types.hpp"

namespace stickslip {

// The matrices M_k one below the other.
struct StrideMap {
  Matrix motion;

  Index given() const { return motion.cols(); }
  // The first `columns` coefficients of n states, from (1, x0, f0, a1, a2).
  void expand(const double* start, Index n, Index columns, double* C) const;
};

} // namespace stickslip
