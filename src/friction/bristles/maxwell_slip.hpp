// Generalised Maxwell slip (Al-Bender, Lampaert, Swevers, IEEE Trans. Autom. Control 50(11), 2005): n
// elements in parallel, each a spring that either sticks or slips:
//   stick: dF_i/dt = k_i v, until |F_i| = a_i level(|v|);
//   slip:  dF_i/dt = C (a_i sgn v - F_i/level(|v|)), until v reaches zero.
// sum a_i = 1. With one level (static = kinetic) this is the classical model of Iwan: F_i stays at a_i level.
// The switching state is a branch: bit i says that element i slips.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

#include <string>

namespace stickslip {

template <class P> struct MaxwellSlipOf {
  static constexpr bool is_bristle = true;
  static constexpr bool has_switches = true;

  List<P> stiffness;  // k_i
  List<P> share;      // a_i; empty: equal
  P attraction = 0.0; // C, 1/s times the unit of the levels; not needed with one level
  LevelsOf<P> levels;
  ViscousOf<P> viscous;

  Index states() const { return stiffness.size(); }
  Index switches() const { return states(); }
  std::string state_name(Index i) const { return std::string(1, 'f').append(std::to_string(i)); }
  P part(Index i) const { return share.empty() ? P(1.0 / static_cast<double>(stiffness.size())) : share[i]; }

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &MaxwellSlipOf::stiffness), field("share", &MaxwellSlipOf::share),
                      field("attraction", &MaxwellSlipOf::attraction), inlined(&MaxwellSlipOf::levels),
                      inlined(&MaxwellSlipOf::viscous, ViscousOf<P>::fields_as_part())};
  }
};
using MaxwellSlip = MaxwellSlipOf<double>;

template <class P, class T>
ForceOf<T> bristle(const MaxwellSlipOf<P>& c, const T& v, int direction, unsigned branch, const T* z,
                   T* zdot) {
  const T side(direction), height = level(c.levels, side * v);
  T sum(0.0);
  for (Index i = 0; i < c.stiffness.size(); ++i) {
    if (((branch >> i) & 1U) != 0U)
      zdot[i] = T(c.attraction) * (side * T(c.part(i)) - z[i] / height);
    else
      zdot[i] = T(c.stiffness[i]) * v;
    sum += z[i];
  }
  return {sum, viscous_force(c.viscous, v, direction)};
}

inline void settle(const MaxwellSlip& c, double v, int direction, double* z) {
  for (Index i = 0; i < c.stiffness.size(); ++i) z[i] = c.part(i) * curve(c, v, direction).dry;
}

// A slipping element has no guard of its own: the zero of v sets it back to stick.
inline void slip_guards(const MaxwellSlip& c, double v, int direction, unsigned branch, const double* z,
                        double* guards) {
  const double height = level(c.levels, direction * v);
  for (Index i = 0; i < c.stiffness.size(); ++i)
    guards[i] = ((branch >> i) & 1U) != 0U ? -c.part(i) * height : direction * z[i] - c.part(i) * height;
}

void validate(const MaxwellSlip&);
LawTraits about(const MaxwellSlip&);

} // namespace stickslip
