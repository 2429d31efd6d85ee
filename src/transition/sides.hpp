// Laws without a jump at v = 0 whose force depends on its side: of which side an element is.
#pragma once

#include "transition/active_set.hpp"

namespace stickslip {

// At rest the side to which the motion turns.
void find_sides(Instant& at, const ActiveSet& active);

// Once the modes are decided: what lies at v = 0, and rests there because others do, keeps its side, though rounding may
// have carried it across; what is about to move has the side to which it goes.
void turn_sides(Instant& at);

} // namespace stickslip
