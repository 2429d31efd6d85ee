// A linear form over the state and the signals.
#pragma once

#include "core/types.hpp"

namespace stickslip {

// x_part . x + s_part . s
struct Form {
  Vector x, s;
};

} // namespace stickslip
