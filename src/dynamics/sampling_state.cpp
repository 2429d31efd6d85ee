#include "dynamics/sampling_state.hpp"

#include "core/error.hpp"
#include "core/tolerances.hpp"

#include <cmath>

namespace stickslip {

namespace {

constexpr double countable = 1e15; // instants: beyond, neighbours have one time

} // namespace

bool SamplingState::operator==(const SamplingState& o) const {
  return next == o.next && pending == o.pending && output.size() == o.output.size() && output == o.output &&
         memory.size() == o.memory.size() && memory == o.memory;
}

SamplingState start_sampling(const System& sys, double t0) {
  SamplingState k;
  Index outputs = 0, memory = 0;
  for (const Loop& l : sys.loops) {
    outputs += l.block.outputs();
    if (!l.block.continuous()) memory += memory_size(l.block);
  }
  k.output = Vector::Zero(outputs);
  k.memory = Vector::Zero(memory);
  for (const Loop& l : sys.loops) {
    k.pending.push_back(SamplingState::none);
    k.next.push_back(0);
    if (l.block.continuous()) continue;
    start(l.block, k.memory.data() + l.memory);
    if (!(std::abs(t0) <= countable * l.block.period))
      reject("t_start", t0, "at most 1e15 periods of '" + l.name + "' from 0");
    auto first = static_cast<std::int64_t>(std::floor(t0 / l.block.period)) - 1;
    while (instant(l, first) < t0 - tolerance::last_digits * std::abs(t0)) ++first;
    k.next.back() = first;
  }
  return k;
}

} // namespace stickslip
