// The order in which controllers are computed at one instant.
#pragma once

#include "core/list.hpp"
#include "model/loop.hpp"

namespace stickslip {

// Continuous ones first, then sampled ones, each after those whose outputs it needs at the same instant. An
// algebraic loop is an error that names it.
List<Index> dataflow_order(const List<Loop>& loops);

} // namespace stickslip
