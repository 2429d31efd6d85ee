// Viscous: F = Fv |v|^dv sgn v with 0 < dv <= 2. An absolute force: the normal load does not enter.
#pragma once

#include "friction/common.hpp"

namespace stickslip {

template <class P> struct ViscousOf {
  P coefficient = 0.0; // N (s/m)^exponent
  P exponent = 1.0;

  static constexpr auto fields() {
    return std::tuple{field("coefficient", &ViscousOf::coefficient), field("exponent", &ViscousOf::exponent)};
  }

  // As a part of another law.
  static constexpr auto fields_as_part() {
    return std::tuple{field("viscous", &ViscousOf::coefficient),
                      field("viscous_exponent", &ViscousOf::exponent)};
  }
};
using Viscous = ViscousOf<double>;

// Beyond zero: linear and quadratic are continued analytically, other exponents oddly (a real power has no
// analytic continuation, and the odd one stays dissipative).
template <class P, class T> inline T viscous_force(const ViscousOf<P>& p, const T& v, int direction) {
  if (p.exponent == P(1.0)) return T(p.coefficient) * v;
  if (p.exponent == P(2.0)) return T(p.coefficient * P(direction)) * v * v;
  return T(p.coefficient) * odd_power(v, p.exponent);
}

template <class P, class T> ForceOf<T> curve(const ViscousOf<P>& p, const T& v, int direction) {
  return {T(0.0), viscous_force(p, v, direction)};
}

// A law made of levels and a viscous part: its steady curve, and the speeds between which its level changes.
template <class C>
concept OnLevels = requires(const C& c) {
  c.levels;
  c.viscous;
};
template <OnLevels C, class T> ForceOf<T> curve(const C& c, const T& v, int direction) {
  const T side(direction);
  return {side * level(c.levels, side * v), viscous_force(c.viscous, v, direction)};
}
template <OnLevels C> void marks(const C& c, List<double>& out) {
  marks(c.levels, out);
}

inline void validate(const Viscous& p, const char* coefficient = "coefficient",
                     const char* exponent = "exponent") {
  non_negative(coefficient, p.coefficient);
  if (!(p.exponent > 0.0 && p.exponent <= 2.0)) reject(exponent, p.exponent, "> 0 and <= 2");
}

inline LawTraits about(const Viscous& p) {
  LawTraits t;
  t.affine = p.coefficient == 0.0 || p.exponent == 1.0;
  t.reversal_switches = !t.affine;
  return t;
}

} // namespace stickslip
