// The mode of a limited output from the signs of the quantities of its limit: of their values in the real-time form, of
// their Taylor series in a run. With s = row of the integral in A z + B w and sigma = +1 at the upper limit, -1 at the
// lower one:
//   the rate of u_raw if the integral runs          u'_on   = C (A z + B w) + D w'
//   the rate of u_raw if it is held                 u'_held = u'_on - C_i s
// On the limit, sigma u'_on < 0 leads back inside, sigma u'_held > 0 outside; in between the two vector
// fields oppose each other and the solution in Filippov's sense stays on the limit: the integral follows.
#pragma once

#include "control/block.hpp"

#include <cmath>

namespace stickslip {

inline int side(Saturation m) {
  return m == Saturation::free ? 0 : (static_cast<int>(m) > 0 ? 1 : -1);
}
inline bool is_frozen(Saturation m) {
  return m == Saturation::high_frozen || m == Saturation::low_frozen;
}
inline bool is_following(Saturation m) {
  return m == Saturation::high_following || m == Saturation::low_following;
}
inline Saturation moving(int sigma) {
  return sigma > 0 ? Saturation::high : Saturation::low;
}
inline Saturation holding(int sigma) {
  return sigma > 0 ? Saturation::high_frozen : Saturation::low_frozen;
}
inline Saturation on_limit(int sigma) {
  return sigma > 0 ? Saturation::high_following : Saturation::low_following;
}

// The mode after a guard fired. sign(quantity, sigma): +1 if it leads outwards, 0 if it is zero.
template <class Sign>
Saturation after(const Block& b, Saturation mode, BlockGuard::Trigger fired, Sign&& sign) {
  using Trigger = BlockGuard::Trigger;
  switch (fired) {
  case Trigger::exceeds_max:
  case Trigger::exceeds_min: {
    const int sigma = fired == Trigger::exceeds_max ? 1 : -1;
    if (b.integrator < 0) return moving(sigma);
    if (is_following(mode)) return holding(sigma);
    if (sign(LimitQuantity::integral_rate, sigma) <= 0) return moving(sigma);
    return sign(LimitQuantity::raw_rate_held, sigma) >= 0 ? holding(sigma) : on_limit(sigma);
  }
  case Trigger::returns: {
    const int sigma = side(mode);
    return is_frozen(mode) && sign(LimitQuantity::raw_rate, sigma) > 0 ? on_limit(sigma) : Saturation::free;
  }
  case Trigger::turns_outwards:
    return holding(side(mode));
  case Trigger::turns_inwards:
    return moving(side(mode));
  }
  return mode;
}

// The mode at the start or after inputs have jumped; a raw output that lies on a limit is decided by its rate, and if that
// vanishes too by the mode before.
template <class Sign> Saturation mode_anew(const Block& b, Index output, Saturation before, Sign&& sign) {
  for (const int sigma : {1, -1}) {
    if (!std::isfinite(sigma > 0 ? b.hi[output] : b.lo[output])) continue;
    const auto outside = [&] {
      return b.integrator >= 0 && sign(LimitQuantity::integral_rate, sigma) > 0 ? holding(sigma)
                                                                                : moving(sigma);
    };
    const int excess = sign(LimitQuantity::excess, sigma);
    if (excess > 0) return outside();
    if (excess < 0) continue;
    const int on = sign(LimitQuantity::raw_rate, sigma);
    const int held = b.integrator >= 0 ? sign(LimitQuantity::raw_rate_held, sigma) : on;
    if (on == 0 && held == 0) return side(before) == sigma ? before : Saturation::free;
    if (on <= 0) return Saturation::free;
    return held >= 0 ? outside() : on_limit(sigma);
  }
  return Saturation::free;
}

} // namespace stickslip
