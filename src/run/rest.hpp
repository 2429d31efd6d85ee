// Permanent rest of a machine in which every element sticks.
#pragma once

#include "dynamics/regime.hpp"

#include <string>

namespace stickslip {

// True only if it is certain: all signals are constant from t on, every element sticks, and either no coordinate can
// move, or the remaining oscillation (free coordinates, presliding surfaces) has too little energy to reach any limit:
// with y the displacement from equilibrium and 2E = y'Ky + y''My', a linear form a'y + b'y' never exceeds sqrt(2E
// (a'K^-1 a + b'M^-1 b)), and damping only reduces E.
bool sticks_permanently(const System& sys, const Regime& regime, double t, const double* x);

// "stuck for good: 'guide' holds 0.016 N of 0.0333 N", or nothing.
std::string note_of_rest(const System& sys, const Regime& regime, double t, const double* x);

} // namespace stickslip
