// Bouc-Wen hysteresis (Wen, J. Eng. Mech. Div. ASCE 102, 1976) as a friction law, w = s0 z / Fc:
//   dz/dt = v - beta |v| |w|^(n-1) w - (1 - beta) v |w|^n,   F = s0 z.
// In Wen's symbols A = 1, beta_W = beta (s0/Fc)^n, gamma_W = (1 - beta) (s0/Fc)^n. Thermodynamically
// admissible if |gamma_W| <= beta_W (Erlicher and Point 2004), that is beta >= 1/2.
#pragma once

#include "friction/common.hpp"

#include <string>

namespace stickslip {

template <class P> struct BoucWenOf {
  static constexpr bool is_bristle = true;

  P stiffness = 0.0; // s0
  P kinetic = 0.0;   // Fc
  P exponent = 1.0;  // n
  P beta = 0.5;

  Index states() const { return 1; }
  std::string state_name(Index) const { return "z"; }

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &BoucWenOf::stiffness), field("kinetic", &BoucWenOf::kinetic),
                      field("exponent", &BoucWenOf::exponent), field("beta", &BoucWenOf::beta)};
  }
};
using BoucWen = BoucWenOf<double>;

template <class P, class T>
ForceOf<T> bristle(const BoucWenOf<P>& c, const T& v, int direction, unsigned, const T* z, T* zdot) {
  const T odd = odd_power(T(c.stiffness / c.kinetic) * z[0], c.exponent);
  const T magnitude = value_of(odd) < 0.0 ? -odd : odd;
  zdot[0] = v * (T(1.0) - T(c.beta * P(direction)) * odd - T(P(1.0) - c.beta) * magnitude);
  return {T(c.stiffness) * z[0], T(0.0)};
}

// Jump of the slope of the rate: between unloading and loading.
inline constexpr Index bend_count(const BoucWen&) {
  return 1;
}
inline void bends(const BoucWen& c, double, int direction, const double* z, double, double* out) {
  out[0] = direction * c.stiffness * z[0];
}

inline void validate(const BoucWen& c) {
  positive("stiffness", c.stiffness);
  positive("kinetic", c.kinetic);
  if (!(c.exponent >= 1.0 && std::isfinite(c.exponent))) reject("exponent", c.exponent, "finite and >= 1");
  if (!(c.beta >= 0.5 && std::isfinite(c.beta)))
    reject("beta", c.beta, "finite and >= 0.5 (below that the law would create energy)");
}

inline LawTraits about(const BoucWen& c) {
  return bristle_traits(1, c.kinetic, c.stiffness);
}

} // namespace stickslip
