// Preload: normal forces p >= 0 that balance each other, W_N p = 0, as those of two flanks without clearance or of a clamp
// do. No load determines them, and with the least clearance they would vanish. So they never contribute to the friction that
// holds a load.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::contact {

// Sets of contacts without whose forces no preload is left, none part of another: with any clearance one of them would be
// open. Forces N y shift without effect; N, with orthonormal columns, is given by its rows of normal forces, which push,
// and of friction. Empty where there is no preload.
List<List<Index>> relieving_contacts(const Matrix& normal, const Matrix& friction);

// The same from the effects of unit normal forces, as columns.
List<List<Index>> relieving_contacts(const Matrix& effects);

} // namespace stickslip::contact
