// Bilateral constraints of a mechanical plant, W' q = c(t), solved once for some of its coordinates. With these
// dependent coordinates q_d and the others q_o, W' q = c(t) means q_d = T q_o + B c: all motions are q = Z q_o + B c,
// and
//
//   q'' = Z (Z' M Z)^-1 Z' (h - M B c'') + B c'',    M q'' = h + W lambda.
//
// Z (Z' M Z)^-1 Z' = M^-1 - M^-1 W (W' M^-1 W)^+ W' M^-1 is the inverse of the constrained mass (Udwadia, Kalaba 1992,
// A new perspective on constrained motion, equations 1 to 4, in coordinates of the admissible motions). It replaces
// M^-1 in the whole compiled machine, so flows, friction, contacts and impacts do not depend on constraints; constraint
// forces are computed afterwards. Z' M Z is positive definite also where M is zero for dependent coordinates: these have
// no mass of their own.
//
// If M, or some W, is a function of the position, no solution holds for all times, and the second form is solved at
// every instant (dynamics/tangent.hpp): a formula g(q, t) = 0 has the row W = dg/dq there and prescribes W' q' = -dg/dt
// and W' q'' = -zeta.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"

#include <string>

namespace stickslip {

struct Constraint {
  std::string name, text;             // text: the combination as the user wrote it
  Vector row;                         // w, over the coordinates
  Index value = -1;                   // signal; -1: a constraint of velocities alone
  Index rate = -1, acceleration = -1; // signals: derivatives of what it prescribes
  bool unique = true;                 // its force is determinate
};

// Dependent coordinates: q_d = others q + values c, columns of `others` zero for all d.
struct Dependence {
  List<Index> which;
  Matrix others, values;
};

struct Constraints {
  List<Constraint> all;
  Dependence positions, velocities;
  Matrix prescribed;   // (1 - Z (Z' M Z)^-1 Z' M) B: accelerations per unit of c''
  Matrix inverse_mass; // Z (Z' M Z)^-1 Z'
  Matrix forces;       // F = forces (M q'' - h), -lambda of least norm

  bool any() const { return !all.empty(); }
};

// True for coordinates without mass.
inline auto massless(const Matrix& mass) {
  return mass.diagonal().array() == 0.0;
}

// Weights with which coordinates give way: the roots of 1/mass. Those without mass give way first.
inline Vector lightness(const Matrix& mass) {
  constexpr double of_massless = 1e3; // relative to the lightest other coordinate
  const Vector given = massless(mass).select(0.0, mass.diagonal().cwiseSqrt().cwiseInverse());
  const double most = given.maxCoeff();
  return massless(mass).select(of_massless * (most > 0.0 ? most : 1.0), given);
}

} // namespace stickslip
