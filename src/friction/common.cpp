#include "friction/common.hpp"

namespace stickslip {

void validate(const Levels& c, bool kinetic_may_be_zero) {
  if (kinetic_may_be_zero)
    non_negative("kinetic", c.kinetic);
  else
    positive("kinetic", c.kinetic);
  non_negative("static", c.static_level);
  if (c.static_level < c.kinetic) reject("static", c.static_level, "at least the kinetic level");
  if (!(c.stribeck_velocity > 0.0)) reject("stribeck_velocity", c.stribeck_velocity, "finite and > 0");
  if (!c.one() && !std::isfinite(c.stribeck_velocity))
    reject("stribeck_velocity", "must be given (finite and > 0) when static and kinetic differ");
  positive("shape", c.shape);
}

} // namespace stickslip
