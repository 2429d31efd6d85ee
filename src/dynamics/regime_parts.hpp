// Steps of building and of evaluating a regime, of no use elsewhere.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

// Facets of the set of forces that the stuck places can take together, W having one column per stuck place
// and full row rank.
void find_facets(const Matrix& W, Regime& regime);

void list_guards(const System& sys, Regime& regime);

// Row of a closed contact among the constraint forces; -1 for an open one.
Index normal_row(const Regime& regime, Index contact);

// Factors, in scratch.coupling, of the small system of normal forces that friction in scratch.dry follows. False
// if it is singular.
bool factor_coupling(const System& sys, const Regime& regime, Scratch& scratch);

} // namespace stickslip
