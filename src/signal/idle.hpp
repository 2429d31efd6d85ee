// Signals that are zero in an interval, not only at an instant.
#pragma once

#include "signal/signal.hpp"

namespace stickslip {

inline bool idle(const Piece& p) {
  return is_flat(p) && p.c[0] == 0.0;
}

inline bool idle(const Signal& s, double t) {
  return s.pieces.empty() || idle(*piece_at(s, t).piece);
}

} // namespace stickslip
