// Whether what was saved, or taken from elsewhere, fits a machine. Everything throws InvalidArgument.
#pragma once

#include "run/trajectory.hpp"

#include <string>

namespace stickslip {

void check(const System& sys, const Modes& modes);
void check(const System& sys, const State& state);
// Formulas where a run starts: loads are not negative, the mass matrix is symmetric.
void check_formulas(const System& sys, const State& state);
// What ends a run in which a load becomes negative.
std::string negative_load(const Friction& element, double t);
// Segments, coefficients, events and numbers of a run of its own machine.
void check(const Trajectory& run);

} // namespace stickslip
