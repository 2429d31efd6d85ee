// Thresholds of derivatives along a run.
#pragma once

#include <limits>

namespace stickslip {

inline constexpr double not_determined = std::numeric_limits<double>::quiet_NaN();
inline constexpr double same_move = 1e-7; // to which derivatives of two events agree that stay together
inline constexpr double unmoved =
    1e-8; // of a guard's size by a change of the whole parameter: it does not move

} // namespace stickslip
