// Dahl (TOR-0158(3107-18)-1, Aerospace Corporation 1968): with u = 1 - (F/Fc) sgn v,
//   dF/dx = s |u|^i sgn u.  State z = F/s, a deflection. Rate-independent: no Stribeck effect, no break-away
//   peak.
#pragma once

#include "friction/common.hpp"

#include <string>

namespace stickslip {

template <class P> struct DahlOf {
  static constexpr bool is_bristle = true;
  static constexpr bool has_switches = true;

  P stiffness = 0.0; // s
  P kinetic = 0.0;   // Fc
  P exponent = 1.0;  // i

  Index states() const { return 1; }
  std::string state_name(Index) const { return "z"; }
  Index switches() const { return value_of(exponent) < 1.0 ? 1 : 0; } // reaches its level

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &DahlOf::stiffness), field("kinetic", &DahlOf::kinetic),
                      field("exponent", &DahlOf::exponent)};
  }
};
using Dahl = DahlOf<double>;

// |u|^i sgn u. For i < 1 the level is reached in finite travel and the slope at u = 0 is infinite; closer to
// zero than `steepest_at` a straight line replaces the power. No integrator reaches u = 0 by itself (a
// linearised step from u ends near -u): reaching the level is an event, and the force stays at the level until v
// returns to zero.
template <class T, class P> T approach(const T& u, const P& exponent) {
  const double i = value_of(exponent);
  if (i < 1.0 && std::abs(value_of(u)) < steepest_at) return power(T(steepest_at), exponent - P(1.0)) * u;
  return odd_power(u, exponent);
}

template <class P, class T>
ForceOf<T> bristle(const DahlOf<P>& c, const T& v, int direction, unsigned branch, const T* z, T* zdot) {
  const T u = T(1.0) - T(P(direction) * c.stiffness / c.kinetic) * z[0];
  zdot[0] = branch != 0U ? T(0.0) : v * approach(u, c.exponent);
  return {T(c.stiffness) * z[0], T(0.0)};
}

inline void slip_guards(const Dahl& c, double, int direction, unsigned branch, const double* z,
                        double* guards) {
  if (c.switches() > 0) guards[0] = branch != 0U ? -1.0 : direction * c.stiffness / c.kinetic * z[0] - 1.0;
}

// Below 1 the level would be reached in finite travel with an infinite slope, below 0.5 nearly a jump in the
// rate.
inline void validate(const Dahl& c) {
  positive("stiffness", c.stiffness);
  positive("kinetic", c.kinetic);
  positive("exponent", c.exponent);
}

inline LawTraits about(const Dahl& c) {
  LawTraits t = bristle_traits(1, c.kinetic, c.stiffness);
  t.switches = c.switches();
  return t;
}

} // namespace stickslip
