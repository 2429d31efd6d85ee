// LuGre (Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE Trans. Autom. Control 40(3), 1995, eqs. 3-6):
//   dz/dt = v - s0 |v| z / level(|v|),   F = s0 z + s1(v) dz/dt + s2(v),   s1(v) = s1 exp(-(v/vd)^2) or
//   constant.
// The normalised form has the bristle force q = s0 z for its state, the same force F and the same motion.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

#include <string>

namespace stickslip {

template <class P> struct LuGreOf {
  static constexpr bool is_bristle = true;

  P stiffness = 0.0;                                            // s0, 1/m times the unit of the levels
  P damping = 0.0;                                              // s1, s/m
  P damping_velocity = std::numeric_limits<double>::infinity(); // vd, infinite: s1 is constant
  LevelsOf<P> levels;
  ViscousOf<P> viscous;
  bool normalised = false;

  Index states() const { return 1; }
  std::string state_name(Index) const { return normalised ? "q" : "z"; }

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &LuGreOf::stiffness),
                      field("damping", &LuGreOf::damping),
                      inlined(&LuGreOf::levels),
                      inlined(&LuGreOf::viscous, ViscousOf<P>::fields_as_part()),
                      field("damping_velocity", &LuGreOf::damping_velocity, quantity::velocity),
                      field("normalised", &LuGreOf::normalised)};
  }
};
using LuGre = LuGreOf<double>;

template <class P, class T>
ForceOf<T> bristle(const LuGreOf<P>& c, const T& v, int direction, unsigned, const T* z, T* zdot) {
  const T speed = T(direction) * v;
  const T q = c.normalised ? z[0] : T(c.stiffness) * z[0];
  const T rate = v - speed * q / level(c.levels, speed);
  zdot[0] = c.normalised ? T(c.stiffness) * rate : rate;
  T damping(c.damping);
  if (!std::isinf(value_of(c.damping_velocity))) {
    const T u = v / T(c.damping_velocity);
    damping = damping * exponential(-(u * u));
  }
  return {q + damping * rate, viscous_force(c.viscous, v, direction)};
}

inline void settle(const LuGre& c, double v, int direction, double* z) {
  z[0] = curve(c, v, direction).dry / (c.normalised ? 1.0 : c.stiffness);
}

inline void marks(const LuGre& c, List<double>& out) {
  marks(c.levels, out);
  if (std::isfinite(c.damping_velocity))
    for (double u : {6.0, 2.0, 1.0, 0.3}) out.push_back(u * c.damping_velocity);
}

inline void validate(const LuGre& c) {
  positive("stiffness", c.stiffness);
  non_negative("damping", c.damping);
  if (!(c.damping_velocity > 0.0)) reject("damping_velocity", c.damping_velocity, "> 0");
  validate(c.levels, false);
  validate(c.viscous, "viscous", "viscous_exponent");
}

inline LawTraits about(const LuGre& c) {
  return bristle_traits(1, c.levels.static_level, c.stiffness, c.damping);
}

} // namespace stickslip
