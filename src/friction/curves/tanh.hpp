// Regularised dry friction: F = level(|v|) tanh(v/w) + viscous. No stiction: it creeps under any load.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

namespace stickslip {

struct Tanh {
  double width = 0.0; // w, m/s
  Levels levels;      // one level: Coulomb, two: Stribeck
  Viscous viscous;

  bool operator==(const Tanh&) const = default;

  template <class Self, class F> static void each(Self& self, F&& f) {
    f("width", self.width);
    Levels::each(self.levels, f);
    Viscous::each_as_part(self.viscous, f);
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
