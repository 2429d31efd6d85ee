// Forces of springs.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

inline double value(const Form& form, const Vector& x, const Vector& s) {
  return form.x.dot(x) + form.s.dot(s);
}

// What a spring opposes its elongation with, in these modes; without its damper, also where that has let go.
double spring_force(const System& sys, Index spring, const Modes& modes, const double* x, const double* s);
double spring_line(const System& sys, Index spring, const Modes& modes, const double* x, const double* s);

} // namespace stickslip
