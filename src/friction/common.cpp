#include "friction/common.hpp"

#include "core/list.hpp"
#include "core/number_text.hpp"

namespace stickslip {

void validate(const Levels& c, bool kinetic_may_be_zero) {
  non_negative("static", c.static_level); // first: it is also the kinetic level where none is given
  if (kinetic_may_be_zero)
    non_negative("kinetic", c.kinetic);
  else
    positive("kinetic", c.kinetic);
  if (c.static_level < c.kinetic)
    reject("static", c.static_level, "at least the kinetic level = " + number_text(c.kinetic));
  if (!(c.stribeck_velocity > 0.0)) reject("stribeck_velocity", c.stribeck_velocity, "finite and > 0");
  if (!c.one() && !std::isfinite(c.stribeck_velocity))
    reject("stribeck_velocity", "must be given (finite and > 0) when static and kinetic differ");
  positive("shape", c.shape);
}

void marks(const Levels& c, List<double>& out) {
  if (!std::isfinite(c.stribeck_velocity)) return;
  for (double p : {36.0, 6.0, 1.0, 0.1}) out.push_back(c.stribeck_velocity * std::pow(p, 1.0 / c.shape));
  if (c.form == StribeckForm::lorentzian) out.push_back(c.stribeck_velocity * std::pow(1e3, 1.0 / c.shape));
}

} // namespace stickslip
