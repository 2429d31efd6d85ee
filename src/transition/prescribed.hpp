// Friction along motions that constraints prescribe: no force decides its mode.
#pragma once

#include "transition/instant.hpp"

namespace stickslip {

// Side of zero on which the prescribed velocity of this element lies just after the instant; 0: it stays zero.
int prescribed_side(const Instant& at, Index element);

// Enters the mode of that side. At rest the force stays that of the end of the slip.
void follow_prescribed(Instant& at, Index element, int side);

} // namespace stickslip
