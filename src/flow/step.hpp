// One step of the flow of a regime: its length, method and form of motion, and the guards that fire at its end.
#pragma once

#include "core/affine_taylor.hpp"
#include "core/list.hpp"
#include "dynamics/guard.hpp"

#include <cstdint>

namespace stickslip {

class Stride;

// slow_subspace: exact as well, after the fast modes of a stiff regime have died out.
enum class FlowKind : std::int8_t { exact, explicit_pair, stiff, time_stepping, slow_subspace };
inline bool is_exact(FlowKind kind) {
  return kind == FlowKind::exact || kind == FlowKind::slow_subspace;
}

inline constexpr Index taylor_columns = affine_taylor_degree + 1;

// The motion over [t0, t0 + h]: x = sum_k C.col(k) theta^k, theta = (t - t0) / h; of a swing (columns = 0)
// its closed form, which expand() turns into such polynomials; of a stride write_out() does.
struct Step {
  double h = 0.0;
  double end = 1.0; // theta up to which it holds
  Index columns = 0;
  FlowKind kind = FlowKind::exact;
  List<Guard> fired;              // empty: no event
  const Stride* stride = nullptr; // the motion is in the stride, and C is empty
};

} // namespace stickslip
