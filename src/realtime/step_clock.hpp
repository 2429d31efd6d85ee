// Instant within a run of fixed steps: the number of the step and the time within it.
#pragma once

#include <cstdint>

namespace stickslip {

struct StepClock {
  double h, t0; // length of a step, time at the start of step 0
  std::int64_t step = 0;
  double passed = 0.0, left = 0.0; // of this step

  double start() const { return t0 + static_cast<double>(step) * h; }
  double end() const { return t0 + static_cast<double>(step + 1) * h; }
  double now() const { return start() + passed; }

  void begin_step() { passed = 0.0, left = h; }
  void advance(double by) { passed += by, left -= by; }
  void end_step() { ++step, passed = 0.0; }
};

} // namespace stickslip
