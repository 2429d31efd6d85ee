// Steps of building a regime, of no use elsewhere.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

// Facets of the set of forces that the stuck places can take together, W having one column per stuck place
// and full row rank.
void find_facets(const Matrix& W, Regime& regime);

void list_guards(const System& sys, Regime& regime);

} // namespace stickslip
