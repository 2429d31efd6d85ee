// Quantities of one element at one instant, for samples of a run and for the fixed-step form.
#pragma once

#include "dynamics/regime.hpp"
#include "model/variable.hpp"

namespace stickslip {

// Velocity or load of a friction element, gap or its rate of a contact, force, elongation or its rate of a spring. Exactly
// zero where a constraint holds it at zero. `sys`: with rows as they are here; `force`: of all friction elements, then
// of all contacts (for loads alone).
double reading(const System& sys, const Modes& modes, Read what, Index element, const double* x,
               const double* s, const double* force);

} // namespace stickslip
