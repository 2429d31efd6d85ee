// Elasto-plastic bristle (Dupont, Hayward, Armstrong, Altpeter, IEEE Trans. Autom. Control 47(5), 2002):
// LuGre whose bristle is purely elastic up to the deflection z_ba, so that loads below it leave no drift:
//   dz/dt = v [1 - a(z, v) sgn(v) z / z_ss(v)],  z_ss = level(|v|)/s0,  F = s0 z + s1 dz/dt + s2(v),
//   a = 0 for z sgn v <= z_ba, 1 for z sgn v >= z_ss, else (1 + sin(pi (z sgn v - (z_ss + z_ba)/2)/(z_ss -
//   z_ba)))/2.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

#include <numbers>
#include <string>

namespace stickslip {

template <class P> struct ElastoPlasticOf {
  static constexpr bool is_bristle = true;

  P stiffness = 0.0, damping = 0.0;
  P elastic_limit = 0.0;              // z_ba, m
  bool elastic_limit_follows = false; // not given: this share of the deflection in sliding
  static constexpr double elastic_share = 0.7;
  LevelsOf<P> levels;
  ViscousOf<P> viscous;

  Index states() const { return 1; }
  std::string state_name(Index) const { return "z"; }

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &ElastoPlasticOf::stiffness),
                      field("damping", &ElastoPlasticOf::damping),
                      field("elastic_limit", &ElastoPlasticOf::elastic_limit, quantity::position),
                      field("elastic_limit_follows", &ElastoPlasticOf::elastic_limit_follows),
                      inlined(&ElastoPlasticOf::levels),
                      inlined(&ElastoPlasticOf::viscous, ViscousOf<P>::fields_as_part())};
  }
};
using ElastoPlastic = ElastoPlasticOf<double>;

inline void follow(ElastoPlastic& c) {
  if (c.elastic_limit_follows) c.elastic_limit = c.elastic_share * c.levels.kinetic / c.stiffness;
}

template <class P, class T>
ForceOf<T> bristle(const ElastoPlasticOf<P>& c, const T& v, int direction, unsigned, const T* z, T* zdot) {
  const T side(direction);
  const T end = level(c.levels, side * v) / T(c.stiffness), begin(c.elastic_limit), along = side * z[0];
  T plastic(1.0);
  if (value_of(along) <= value_of(begin))
    plastic = T(0.0);
  else if (value_of(along) < value_of(end))
    plastic = T(0.5) + T(0.5) * sine(T(std::numbers::pi) * (along - T(0.5) * (end + begin)) / (end - begin));
  zdot[0] = v * (T(1.0) - plastic * along / end);
  return {T(c.stiffness) * z[0] + T(c.damping) * zdot[0], viscous_force(c.viscous, v, direction)};
}

inline void settle(const ElastoPlastic& c, double v, int direction, double* z) {
  z[0] = curve(c, v, direction).dry / c.stiffness;
}

// Jumps of the slope of the rate: at the ends of the range between elastic and plastic.
inline constexpr Index bend_count(const ElastoPlastic&) {
  return 2;
}
inline void bends(const ElastoPlastic& c, double v, int direction, const double* z, double, double* out) {
  out[0] = c.stiffness * (direction * z[0] - c.elastic_limit);
  out[1] = c.stiffness * direction * z[0] - level(c.levels, direction * v);
}

inline void validate(const ElastoPlastic& c) {
  positive("stiffness", c.stiffness);
  non_negative("damping", c.damping);
  validate(c.levels, false);
  validate(c.viscous, "viscous", "viscous_exponent");
  if (!(c.elastic_limit > 0.0 && c.elastic_limit < c.levels.kinetic / c.stiffness))
    reject("elastic_limit", c.elastic_limit, "> 0 and < kinetic/stiffness");
}

inline LawTraits about(const ElastoPlastic& c) {
  return bristle_traits(1, c.levels.static_level, c.stiffness, c.damping);
}

} // namespace stickslip
