// Times at which a velocity crosses a level: the switch points of laws under prescribed motion.
#pragma once

#include "core/list.hpp"
#include "signal/signal.hpp"

namespace stickslip {

// All times in (from, to), ascending, at which the single piece `p` passes through `level` with a change of sign.
// Straight lines exactly, anything else by a scan fine enough for its harmonics and extrema, then bisection to
// rounding. Touching without a change of sign, within 1e-13 of the piece's largest value, is no crossing.
List<double> crossings(const Piece& p, double level, double from, double to);

} // namespace stickslip
