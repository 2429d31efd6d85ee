// A compiled machine with the regimes that its runs have met so far.
#pragma once

#include "dynamics/regime.hpp"

namespace stickslip {

// A compiled machine with the regimes met so far.
struct Compiled {
  System system;
  RegimeCache regimes;
};

} // namespace stickslip
