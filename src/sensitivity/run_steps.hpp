// Instants and motions of a run in the order of time.
#pragma once

#include "run/passage.hpp"
#include "run/trajectory.hpp"

namespace stickslip {

struct RunStep {
  enum class Kind { passage, sampling_instant, segment } kind;
  Index number = 0, segment = 0; // of an instant: the segment behind it
  Index next_event = 0;          // of an instant: the first one of the next instant
};
List<RunStep> steps_of(const Trajectory& run, const Passages& instants);

} // namespace stickslip
