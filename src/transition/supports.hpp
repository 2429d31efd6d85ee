// Surfaces and walls that hold bodies at rest, and the motions that they allow.
#pragma once

#include "transition/mode_problem.hpp"

namespace stickslip {

// Surfaces that begin to separate, at whatever order of time, cannot all hold the same body. Redundant constraints
// contradict each other only by the motions of their surfaces and walls: a body that follows one follows all, or their
// mean. False: they separate; `parting` is the motion of the first order at which they do, by components of the
// problem.
bool stay_together(const Instant& at, const ModeProblem& posed, const Regime& r, Vector& parting);

} // namespace stickslip
