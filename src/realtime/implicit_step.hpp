// A linearly implicit step of order 2 (ROS2 of Verwer et al. 1999: L-stable, and of order 2 for any Jacobian). It is stable
// for linear motions; a stiff bristle whose rate is not linear in its deflection may be carried beyond the highest level,
// where no motion leads. Then it is a step of backward Euler, solved by Newton's method with such bristles at the level.
#pragma once

#include "realtime/local_machine.hpp"

namespace stickslip {

class ImplicitStep {
public:
  // differences: the Jacobian is one of differences, as it must be for motions with formulas.
  ImplicitStep(const System& sys, LocalMachine& local, bool differences);

  // In a regime from a at t to b, a part `span` of a step of length h later.
  void advance(const Regime& regime, double t, double span, double h, const StepPoint& a,
               StepPoint& b) noexcept;

private:
  struct Deflection {
    Index state;
    double most; // at the highest level
  };

  const System& sys;
  LocalMachine& local;
  const Moving& moving;
  bool by_differences;
  Vector f0, f1, k1, k2, dfdt, sdot;
  Matrix J, W;
  List<int> order;
  List<Deflection> deflections; // of bristles

  void find_levels(const Friction& element);
  bool advance_linearly(const Regime& regime, double t, double span, const StepPoint& a,
                        StepPoint& b) noexcept;
  bool solve_implicitly(const Regime& regime, double t, double span, const StepPoint& a,
                        StepPoint& b) noexcept;
  void find_jacobian(const Regime& regime, double t, const StepPoint& p, const Vector& f) noexcept;
  double most(const Deflection& one, const StepPoint& a) const noexcept;
  bool exceeds_level(const StepPoint& a, const StepPoint& b) const noexcept;
};

} // namespace stickslip
