// Friction along motions that constraints prescribe: no force decides its mode.
#pragma once

#include "transition/instant.hpp"

namespace stickslip {

// Side of zero on which the prescribed velocity of this element lies just after the instant; 0: it stays zero.
int prescribed_side(const Instant& at, Index element);

// Enters the mode of the velocity just after the instant. At rest the force stays that of the end of the slip. away:
// the velocity is not zero; begins: no force acted before.
void follow_prescribed(Instant& at, Index element, bool away, bool begins);

} // namespace stickslip
