// Coulomb: F = Fc sgn v; at rest anything in [-Fs, Fs].
#pragma once

#include "friction/common.hpp"

namespace stickslip {

template <class P> struct CoulombOf {
  P static_level = 0.0, kinetic = 0.0; // per unit normal load
  bool kinetic_follows = false;        // as in Levels

  static constexpr auto fields() {
    return std::tuple{field("static", &CoulombOf::static_level), field("kinetic", &CoulombOf::kinetic),
                      field("kinetic_follows", &CoulombOf::kinetic_follows)};
  }
};
using Coulomb = CoulombOf<double>;

inline void validate(const Coulomb& c) {
  validate(Levels{c.static_level, c.kinetic, 1.0}, true);
}

inline LawTraits about(const Coulomb& c) {
  LawTraits t;
  t.sticks = c.static_level > 0.0;
  t.break_away = {-c.static_level, c.static_level};
  return t;
}

} // namespace stickslip
