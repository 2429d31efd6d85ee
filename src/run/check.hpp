// Whether what was saved, or taken from elsewhere, fits a machine. Everything throws InvalidArgument.
#pragma once

#include "run/trajectory.hpp"

namespace stickslip {

void check(const System& sys, const Modes& modes);
void check(const System& sys, const State& state);
// Segments, coefficients, events and numbers of a run of its own machine.
void check(const Trajectory& run);

} // namespace stickslip
