#include "run/samples.hpp"

namespace stickslip {

Rows& Samples::readings(Read what, Index count) {
  const std::lock_guard lock(access);
  if (const auto known = kept_readings.find(what); known != kept_readings.end()) return known->second;
  const Rows* const held = what == Read::load ? &forces() : nullptr;
  return kept_readings.emplace(what, grid.readings(motion(), what, count, held)).first->second;
}

} // namespace stickslip
