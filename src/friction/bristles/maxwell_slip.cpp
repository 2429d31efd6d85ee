#include "friction/bristles/maxwell_slip.hpp"

#include "core/tolerances.hpp"

#include <numeric>

namespace stickslip {

void validate(const MaxwellSlip& c) {
  const Index n = c.stiffness.size();
  if (n < 1 || n > max_elements) reject("stiffness", "must have 1 to 32 elements");
  for (double k : c.stiffness) positive("stiffness", k);
  if (!c.share.empty()) {
    if (c.share.size() != n) reject("share", "must have as many elements as stiffness");
    for (double a : c.share) positive("share", a);
    const double sum = std::accumulate(c.share.begin(), c.share.end(), 0.0);
    if (std::abs(sum - 1.0) > tolerance::matrix_zero) reject("share", sum, "1 in sum");
  }
  validate(c.levels, false);
  if (c.levels.one())
    non_negative("attraction", c.attraction);
  else
    positive("attraction", c.attraction);
  validate(c.viscous, "viscous", "viscous_exponent");
}

LawTraits about(const MaxwellSlip& c) {
  const double stiffness = std::accumulate(c.stiffness.begin(), c.stiffness.end(), 0.0);
  LawTraits t = bristle_traits(c.states(), c.levels.static_level, stiffness);
  t.switches = c.states();
  return t;
}

} // namespace stickslip
