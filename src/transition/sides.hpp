// Laws without a jump at v = 0 whose force depends on the sign of v: the sign for each element.
#pragma once

#include "transition/active_set.hpp"

namespace stickslip {

// At rest: the sign of the motion that follows.
void find_sides(Instant& at, const ActiveSet& active);

// After the decision of the modes: an element at v = 0 that rests because others do keeps its sign, even if rounding
// has changed the velocity; an element about to move gets the sign of its motion.
void turn_sides(Instant& at);

} // namespace stickslip
