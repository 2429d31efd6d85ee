// Curves with a vertical tangent at v = 0: F = Fs - c v^d with d < 1. The tangent of the motion obeys
//   dv' = c d v^(d-1) dv + ...,
// whose coefficient is not bounded at rest. The derivative exists nevertheless, with t the time from the instant of rest:
// * v ~ t, before rest and behind a reversal: the coefficient ~ t^(d-1) is integrable.
// * v ~ t^2, behind break-away, which the force that drives it determines for d > 1/2: ~ t^(2d-2) is integrable.
// * v ~ t^(1/(1-d)), behind break-away, which friction determines for d < 1/2: the coefficient is d/(1-d) / t, and the
//   tangent at t = 0 does not determine that behind it. In time from its break-away every neighbouring motion is the same
//   power series with coefficients that depend smoothly on the parameters: dx = y - x' t_b' with y = O(t^(1/(1-d))).
//   For d = 1/2 all these terms are ~ t^2, and likewise.
#pragma once

#include "run/trajectory.hpp"
#include "sensitivity/replica.hpp"

namespace stickslip {

// Least exponent d of a law; 1: no vertical tangent.
double least_exponent(const Law& law);
inline bool has_vertical_tangent(const Law& law) {
  return least_exponent(law) < 1.0;
}

// Slopes of curves are held for velocities below `steepest_at` in units of the Stribeck velocity, which leaves out a share
// of steepest_at^d of their integral, 1e-6 for d = 1/2: derivatives are refused below.
inline constexpr double steepest_exponent = 0.5;

class VerticalTangents {
public:
  explicit VerticalTangents(Replica& base);

  // True if one of them slides behind the instant, and not before it or the other way.
  bool begins_at(const Jump& jump) const;
  // An element that leaves rest there, or comes to it, and whose exponent is less than `steepest_exponent`; -1: none.
  Index too_steep_at(const Jump& jump) const;
  // How often the step from t0 to t1 is halved towards its end for its velocities to fall to one half at most in each
  // part.
  Index halvings(const Trajectory& run, const Segment& segment, double t0, double t1);

private:
  Replica& machine;
  List<Index> elements; // of friction
};

} // namespace stickslip
