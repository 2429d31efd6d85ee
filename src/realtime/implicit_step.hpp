// A linearly implicit step of order 2 (ROS2 of Verwer et al. 1999: L-stable, and of order 2 for any Jacobian).
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
  const System& sys;
  LocalMachine& local;
  const Moving& moving;
  bool by_differences;
  Vector f0, f1, k1, k2, dfdt, sdot;
  Matrix J, W;
  List<int> order;

  void find_jacobian(const Regime& regime, double t, double span, double h, const StepPoint& a,
                     const StepPoint& b) noexcept;
};

} // namespace stickslip
