#include "dynamics/friction_force.hpp"

#include <algorithm>

namespace stickslip {

double aged_share(const Friction& element, double t, const double* x) {
  if (element.aged < 0) return 1.0;
  const double share = x[element.aged];
  const double clock = std::max(0.0, t - x[element.entered]);
  return share + (1.0 - share) * clock / (clock + element.automaton.dwell);
}

ElementForce<double> friction_force(const Friction& element, int direction, unsigned branch, double v,
                                    double N, const double* x, double* xdot) {
  ElementInput<double> in;
  in.velocity = v;
  in.load = N;
  const Index memory = memory_of(element, direction);
  if (memory >= 0) in.memory = x[memory];
  in.peak = peak_of(element, x);
  if (element.injected >= 0) in.injected = x[element.injected], in.injection_rate = xdot[element.injected];
  if (element.states >= 0) in.z = x + element.states, in.zdot = xdot + element.states;
  const ElementForce<double> f = element_force(element.law, element, direction, branch, in);
  if (memory >= 0 && memory != element.delayed) xdot[memory] = f.memory_rate;
  return f;
}

} // namespace stickslip
