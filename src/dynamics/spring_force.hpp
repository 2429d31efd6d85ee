// Forces of springs.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

// What a spring opposes its elongation with, in these modes; without its damper, also where that has let go.
double spring_force(const System& sys, Index spring, const Modes& modes, const double* x, const double* s);
double spring_line(const System& sys, Index spring, const Modes& modes, const double* x, const double* s);

} // namespace stickslip
