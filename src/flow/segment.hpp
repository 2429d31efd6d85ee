// One piece of motion in dense form: x = sum_k C_k theta^k, theta = (t - t0) / h. Pieces of equal length in one regime
// share the map from their start to C.
#pragma once

#include "core/polynomial.hpp"
#include "dynamics/regime.hpp"
#include "flow/step.hpp"
#include "flow/stride_map.hpp"

namespace stickslip {

struct Segment {
  double t0 = 0.0, t1 = 0.0; // where it holds
  double h = 0.0;            // theta = (t - t0) / h
  const Regime* regime = nullptr;
  // Offset of its coefficients, nx values for each power of theta, or of the input of the map.
  Index offset = 0;
  Index columns = 0;
  FlowKind kind = FlowKind::exact;
  const StrideMap* map = nullptr;
};

inline void segment_state(const Segment& seg, const double* coefficients, Index nx, double t, double* x) {
  const double theta = seg.h > 0.0 ? (t - seg.t0) / seg.h : 0.0;
  polynomial::values(coefficients, nx, seg.columns, theta, x);
}

} // namespace stickslip
