// Surfaces and walls that hold bodies at rest, and the motions that they allow.
#pragma once

#include "transition/instant.hpp"

namespace stickslip {

// Surfaces that begin to separate, at whatever order of time, cannot all hold the same body. Redundant constraints
// contradict each other only by the motions of their surfaces and walls: a body that follows one follows all, or their
// mean. False: they separate.
bool stay_together(const Instant& at, const Regime& r);

} // namespace stickslip
