// Regularised dry friction: F = level(|v|) tanh(v/w) + viscous. No stiction: it creeps under any load.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

namespace stickslip {

template <class P> struct TanhOf {
  P width = 0.0;      // w, m/s
  LevelsOf<P> levels; // one level: Coulomb, two: Stribeck
  ViscousOf<P> viscous;

  static constexpr auto fields() {
    return std::tuple{field("width", &TanhOf::width, quantity::velocity), inlined(&TanhOf::levels),
                      inlined(&TanhOf::viscous, ViscousOf<P>::fields_as_part())};
  }
};
using Tanh = TanhOf<double>;

template <class P, class T> ForceOf<T> curve(const TanhOf<P>& c, const T& v, int direction) {
  return {level(c.levels, T(direction) * v) * hyperbolic_tangent(v / T(c.width)),
          viscous_force(c.viscous, v, direction)};
}

inline void marks(const Tanh& c, List<double>& out) {
  marks(c.levels, out);
  for (double u : {18.0, 4.0, 1.0}) out.push_back(u * c.width);
}

inline void validate(const Tanh& c) {
  positive("width", c.width);
  validate(c.levels, true);
  validate(c.viscous, "viscous", "viscous_exponent");
}

inline LawTraits about(const Tanh& c) {
  LawTraits t = about(c.viscous);
  t.reversal_switches = t.reversal_switches || !even(c.levels);
  t.affine = t.affine && c.levels.static_level == 0.0;
  return t;
}

} // namespace stickslip
