// Second-order bristle law of Martinez-Rosas, Alvarez-Icaza, Noriega-Pineda, linear in its parameters:
//   dz/dt = v - s0 |v| z,   dy/dt = -y + (1/s0) sgn(v) e(|v|),   e = exp(-(|v|/vs)^m),
//   F = s0 Fc z + s1 dz/dt + s2 v + s0 (Fs - Fc) y + alpha dy/dt.
// dy/dt has the time constant 1 s at any speed (as printed there). In total y enters F with the factor s0
// (Fs - Fc) - alpha and the step of sgn(v) with alpha/s0; with alpha = s0 (Fs - Fc) y cancels from F
// exactly. At v = 0 the step is set-valued: any s in [-1, 1] in place of sgn(v), so that a body can rest on
// it.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

#include <algorithm>
#include <string>

namespace stickslip {

template <class P> struct TwoStateBristleOf {
  static constexpr bool is_bristle = true;

  P stiffness = 0.0;          // s0, 1/m: the presliding stiffness is s0 Fc
  P damping = 0.0;            // s1
  LevelsOf<P> levels;         // Fs, Fc, vs, m
  P alpha = 0.0;              // damping of the second state
  bool alpha_follows = false; // not given: s0 (Fs - Fc)
  ViscousOf<P> viscous;       // s2

  Index states() const { return 2; }
  std::string state_name(Index i) const { return i == 0 ? "z" : "y"; }
  P lagging() const { return stiffness * (levels.static_level - levels.kinetic) - alpha; }
  P step() const { return alpha / stiffness; }

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &TwoStateBristleOf::stiffness),
                      field("damping", &TwoStateBristleOf::damping),
                      inlined(&TwoStateBristleOf::levels),
                      field("alpha", &TwoStateBristleOf::alpha),
                      field("alpha_follows", &TwoStateBristleOf::alpha_follows),
                      inlined(&TwoStateBristleOf::viscous, ViscousOf<P>::fields_as_part())};
  }
};
using TwoStateBristle = TwoStateBristleOf<double>;

inline void follow(TwoStateBristle& c) {
  if (c.alpha_follows) c.alpha = std::max(0.0, c.stiffness * (c.levels.static_level - c.levels.kinetic));
}

template <class P, class T>
ForceOf<T> bristle(const TwoStateBristleOf<P>& c, const T& v, int direction, unsigned, const T* z, T* zdot) {
  const T side(direction), speed = side * v;
  const T e = side * fall(c.levels, speed);
  zdot[0] = v - T(c.stiffness) * speed * z[0];
  zdot[1] = e / T(c.stiffness) - z[1];
  const T first = T(c.stiffness * c.levels.kinetic) * z[0] + T(c.damping) * zdot[0];
  return {first + T(c.lagging()) * z[1] + T(c.step()) * e, viscous_force(c.viscous, v, direction)};
}

inline void settle(const TwoStateBristle& c, double v, int direction, double* z) {
  z[0] = direction / c.stiffness;
  z[1] = direction * fall(c.levels, direction * v) / c.stiffness;
}

inline Interval rest(const TwoStateBristle& c, const double* z, double) {
  const double middle = c.stiffness * c.levels.kinetic * z[0] + c.lagging() * z[1];
  return {middle - c.step(), middle + c.step()};
}

// part in [0, 1]: where between the ends of its interval the force is.
inline void rates_at_rest(const TwoStateBristle& c, double part, const double* z, double* zdot, double) {
  zdot[0] = 0.0;
  zdot[1] = (2.0 * part - 1.0) / c.stiffness - z[1];
}

inline void validate(const TwoStateBristle& c) {
  positive("stiffness", c.stiffness);
  non_negative("damping", c.damping);
  validate(c.levels, false);
  non_negative("alpha", c.alpha);
  validate(c.viscous, "viscous", "viscous_exponent");
}

inline LawTraits about(const TwoStateBristle& c) {
  LawTraits t = bristle_traits(2, c.levels.static_level, c.stiffness * c.levels.kinetic, c.damping);
  t.sticks = c.alpha > 0.0;
  t.reversal_switches = !t.sticks;
  return t;
}

} // namespace stickslip
