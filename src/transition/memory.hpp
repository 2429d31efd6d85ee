// Memory of friction elements across an instant: aging, lag, bristles, and how they came to rest.
#pragma once

#include "core/list.hpp"
#include "transition/active_set.hpp"

namespace stickslip {

// Before the decision: fired switches of laws, the segment of a load table at the start, and elements whose load has
// ended or returned.
void switch_laws(Instant& at, const List<Guard>& fired);

// An element begins to rub: at the start, or because its load begins.
void begin_memory(Instant& at, Index i, int mode, double speed);

// A slip has ended; after ten too short slips in a row the element sticks with hysteresis.
void count_brief_slip(Instant& at, Index i, bool struck);

// Presliding elements, and elements that a jump of their surface takes out of stick, keep their force; the other
// decisions of this instant depend on it.
void carry_presliding(Instant& at, const ActiveSet& active);

// After the decision: accumulations of slips, and the memory of elements that come to rest or leave it. True if an
// element sticks because of an accumulation from now on.
bool count_slips(Instant& at, const List<Guard>& fired, const ActiveSet& active);
void enter_modes(Instant& at);

} // namespace stickslip
