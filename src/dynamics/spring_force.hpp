// Forces of springs.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

// Force with which a spring opposes its elongation in these modes; `spring_line`: without damper, also on an open flank.
double spring_force(const System& sys, Index spring, const Modes& modes, const double* x, const double* s);
double spring_line(const System& sys, Index spring, const Modes& modes, const double* x, const double* s);

} // namespace stickslip
