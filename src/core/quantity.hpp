// Physical dimension of a number: exponents of kg, m, s and rad. Text is used at the interfaces only.
#pragma once

#include <cstdint>

namespace stickslip {

struct Quantity {
  std::int8_t kg = 0, m = 0, s = 0, rad = 0;

  bool operator==(const Quantity&) const = default;
};

namespace quantity {
inline constexpr Quantity number{}, mass{1, 0, 0}, time{0, 0, 1}, rate{0, 0, -1};
inline constexpr Quantity position{0, 1, 0}, velocity{0, 1, -1}, acceleration{0, 1, -2};
inline constexpr Quantity angle{0, 0, 0, 1}, torque{1, 2, -2}, angular_momentum{1, 2, -1};
inline constexpr Quantity force{1, 1, -2}, impulse{1, 1, -1}, damping{1, 0, -1}, stiffness{1, 0, -2};
} // namespace quantity

} // namespace stickslip
