// Stribeck: F = [Fc + (Fs - Fc) exp(-(|v|/vs)^shape)] sgn v + viscous; at rest anything in [-Fs, Fs].
// Any shape: Bo and Pavelescu 1982; 1: Tustin 1947; 2: Armstrong-Helouvry 1990 (the
// Gaussian). Lorentzian (Hess and Soom 1990): 1/(1 + (|v|/vs)^shape) in place of the exponential.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

namespace stickslip {

template <class P> struct StribeckOf {
  LevelsOf<P> levels;
  ViscousOf<P> viscous;

  static constexpr auto fields() {
    return std::tuple{inlined(&StribeckOf::levels),
                      inlined(&StribeckOf::viscous, ViscousOf<P>::fields_as_part())};
  }
};
using Stribeck = StribeckOf<double>;

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
