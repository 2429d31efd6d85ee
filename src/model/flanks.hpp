// Flanks of a spring: one-sided parts, each with a mode of its own.
#pragma once

#include "core/list.hpp"
#include "model/polyline.hpp"

namespace stickslip {

struct SpringElement;

// The force is F = line(x) + damping x' while it has the sign of line(x); else the flank is released and the force is
// zero. `side`: sign of the force on each segment; 0 where it is zero throughout, and everywhere for an attached flank,
// which cannot be released.
struct Flank {
  Index spring = -1;
  Polyline line;
  List<int> side;
  bool attached = false;

  bool lets_go(Index stretch) const { return !attached && side[stretch] != 0; }
  bool pushes(Index stretch) const { return attached || side[stretch] != 0; }
};

Flank attached(Polyline line); // acts in both directions
List<Flank> flanks_of(const SpringElement& spring);

// Force changes its sign at a point, without backlash: the damper of a released flank would jump there.
bool passes_without_play(const Flank& flank);

} // namespace stickslip
