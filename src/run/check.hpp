// Checks that saved or foreign data fit a machine; all functions throw InvalidArgument.
#pragma once

#include "run/trajectory.hpp"

#include <string>

namespace stickslip {

void check(const System& sys, const Modes& modes);
void check(const System& sys, const State& state);
// Formulas where a run starts: loads are not negative, the mass matrix is symmetric.
void check_formulas(const System& sys, const State& state);
// Message of a run that ends because a load becomes negative.
std::string negative_load(const Friction& element, double t);
// Segments, coefficients, events and numbers of a run of its own machine.
void check(const Trajectory& run);

} // namespace stickslip
