// Memory of friction elements across an instant: aging, lag, bristles, and how they came to rest.
#pragma once

#include "core/list.hpp"
#include "transition/active_set.hpp"

namespace stickslip {

// Before anything is decided: switches of laws that have fired, the stretch of a load table at the start, and what its
// load has left, or comes back to.
void switch_laws(Instant& at, const List<Guard>& fired);

// An element begins to rub: at the start, or because its load begins.
void begin_memory(Instant& at, Index i, int mode, double speed);

// A slip has ended; after ten in a row that were too brief to count the element sticks firmly.
void count_brief_slip(Instant& at, Index i, bool struck);

// Presliding elements, and those that a jump of their surface takes out of stick, go on with the force that they have:
// what else is decided at this instant must see it.
void carry_presliding(Instant& at, const ActiveSet& active);

// After everything is decided: accumulations of slips, and the memory of what comes to rest or leaves it. Whether an
// element sticks because of an accumulation from now on.
bool count_slips(Instant& at, const List<Guard>& fired, const ActiveSet& active);
void enter_modes(Instant& at);

} // namespace stickslip
