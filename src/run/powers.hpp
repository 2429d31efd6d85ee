// All powers of a motion, and their integrals over a segment: the terms of the energy balance.
#pragma once

#include "flow/segment.hpp"

namespace stickslip {

// In the order: applied forces, damping, then for each element friction and surface, for each spring its damper and
// its moving end, for each contact its damper and its gap that moves by itself, controllers, constraints. Damping,
// friction and dampers take, all others give.
class Powers {
public:
  explicit Powers(const System& sys);

  Index count() const;
  // C: the segment's coefficients.
  // Powers at t times a length of time, forces times the way meanwhile: a force and a velocity may be too large to multiply.
  void at(const Segment& seg, const double* C, double t, double span, Vector& out);
  // Adds the integrals over [a, b] within one segment, and of the absolute powers.
  void integrate(const Segment& seg, const double* C, double a, double b, Vector& sum, double& absolute);
  // Series of the powers over [a, b] within one segment times (b - a) / 2, from which the works up to any time in it
  // follow.
  Matrix series(const Segment& seg, const double* C, double a, double b);
  double kinetic(const Segment& seg, const double* C, double t);
  // Energy below which there is nothing but rounding: 1e-15 of that of the velocities that loads can cause.
  double negligible() const;
  double elastic(const Segment& seg, const double* C, double t);
  // Energy that all these works give to the machine, without impacts.
  double given(const VectorRef& work) const;

private:
  const System& sys;
  bool constant = true; // all signals are
  Scratch w;
  Vector x, xdot, s, force, work_now, way;
};

// Works from a to each of the times, of powers with this series over [a, b]: things x times.
Matrix works_of(const Matrix& series, double a, double b, const double* times, Index count);

} // namespace stickslip
