// The parts of a spring that push, each with a mode of its own.
#pragma once

#include "core/list.hpp"
#include "model/polyline.hpp"

namespace stickslip {

struct SpringElement;

// The force is F = line(x) + damping x', as long as it has the sign of line(x): else this flank has let go, and there
// is none. `side`: of the force on each stretch; 0 where it is zero throughout, and everywhere on what is attached and
// cannot let go.
struct Flank {
  Index spring = -1;
  Polyline line;
  List<int> side;
  bool attached = false;

  bool lets_go(Index stretch) const { return !attached && side[stretch] != 0; }
  bool pushes(Index stretch) const { return attached || side[stretch] != 0; }
};

Flank attached(Polyline line); // pulls as it pushes
List<Flank> flanks_of(const SpringElement& spring);

// From push to pull at a point: a damper that lets go would jump there.
bool passes_without_play(const Flank& flank);

} // namespace stickslip
