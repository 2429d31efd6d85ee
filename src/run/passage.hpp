// An instant of a run as it was passed, with all that is needed to pass it once more beside it.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

namespace stickslip {

struct Passage {
  State before;
  List<Guard> fired;
  bool scheduled =
      false; // a tick, a breakpoint or the return of what jumped one dead time ago; with or without guards
  bool breakpoint = false; // one of the latter two
  Jump jump;
  Index segment = 0; // the first one behind it
  Index event = 0;   // likewise; there need be none
};

} // namespace stickslip
