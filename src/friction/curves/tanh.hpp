// Regularised dry friction: F = level(|v|) tanh(v/w) + viscous. No stiction: it creeps under any load.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

namespace stickslip {

struct Tanh {
  double width = 0.0; // w, m/s
  Levels levels;      // one level: Coulomb, two: Stribeck
  Viscous viscous;

  static constexpr auto fields() {
    return std::tuple{field("width", &Tanh::width, quantity::velocity), inlined(&Tanh::levels),
                      inlined(&Tanh::viscous, Viscous::fields_as_part())};
  }
};

template <class T> ForceOf<T> curve(const Tanh& c, const T& v, int direction) {
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
