// State of sampled controllers in a run: sampling instants k T, memory, and outputs pending until their delay
// has passed.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "model/system.hpp"

#include <cstdint>

namespace stickslip {

// Instants are whole multiples of each period, never sums.
struct SamplingState {
  List<std::int64_t> next;    // of each loop (continuous ones: unused): its next instant is next * period
  List<std::int64_t> pending; // the instant whose output still waits for its delay, or none
  Vector output;              // those outputs, loop after loop
  Vector memory;

  static constexpr std::int64_t none = INT64_MIN;
  bool operator==(const SamplingState& o) const;
};

// At the start of a run at t0: the first instants are at or after t0.
SamplingState start_sampling(const System& sys, double t0);

// The k-th instant of a sampled controller: a product, never a sum.
inline double instant(const Loop& l, std::int64_t k) {
  return static_cast<double>(k) * l.block.period;
}

} // namespace stickslip
