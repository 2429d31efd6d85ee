// Inverse mass under constraints, for the rows at one instant.
#pragma once

#include "model/constraints.hpp"

namespace stickslip {

// With G = W' M^-1 W: prescribed = M^-1 W G^+, forces = -prescribed', inverse_mass = M^-1 - prescribed W' M^-1. Rows that
// follow from others share forces of least norm, each counted in the impulse that moves its own row by one.
void reduce_inertia(Constraints& constraints, const Matrix& inverse_mass);

} // namespace stickslip
