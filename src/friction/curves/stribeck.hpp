// Stribeck: F = [Fc + (Fs - Fc) exp(-(|v|/vs)^shape)] sgn v + viscous; at rest anything in [-Fs, Fs].
// Any shape: Bo and Pavelescu 1982; 1: Tustin 1947; 2: Armstrong-Helouvry 1990 (the
// Gaussian). Lorentzian (Hess and Soom 1990): 1/(1 + (|v|/vs)^shape) in place of the exponential.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

namespace stickslip {

struct Stribeck {
  Levels levels;
  Viscous viscous;

  bool operator==(const Stribeck&) const = default;

  template <class Self, class F> static void each(Self& self, F&& f) {
    Levels::each(self.levels, f);
    Viscous::each_as_part(self.viscous, f);
  }
};

template <class T> ForceOf<T> curve(const Stribeck& c, const T& v, int direction) {
  const T side(direction);
  return {side * level(c.levels, side * v), viscous_force(c.viscous, v, direction)};
}

inline void marks(const Stribeck& c, List<double>& out) {
  marks(c.levels, out);
}

inline void validate(const Stribeck& c) {
  validate(c.levels, true);
  validate(c.viscous, "viscous", "viscous_exponent");
}

inline LawTraits about(const Stribeck& c) {
  LawTraits t = about(c.viscous);
  t.sticks = c.levels.static_level > 0.0;
  t.affine = t.affine && c.levels.one();
  t.break_away = {-c.levels.static_level, c.levels.static_level};
  return t;
}

} // namespace stickslip
