// Machines that have no fixed-step form.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// Throws InvalidArgument with the element and the cure.
void refuse_without_fixed_steps(const System& sys);

} // namespace stickslip
