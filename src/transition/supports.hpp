// Surfaces and walls that hold bodies at rest: how far they let these move.
#pragma once

#include "transition/mode_problem.hpp"

namespace stickslip {

// What holds one body between surfaces that start to move apart, at whatever order of time, cannot all hold it. Redundant
// constraints contradict each other by their surfaces and walls alone: a body that follows one of them follows all, or
// their mean. False: they part; `parting` is how, of the first order at which they do, by components of the problem.
bool stay_together(const Instant& at, const ModeProblem& posed, const Regime& r, Vector& parting);

} // namespace stickslip
