// element_force() in numbers, read from and written to the state.
#pragma once

#include "dynamics/element_force.hpp"

namespace stickslip {

// v: relative velocity, N: normal load, direction: -1, 0, +1 (0 only in presliding). Fills the rates of the element's
// own states into xdot. An observer reads the rate of its injected state from xdot, where the linear part has stored
// it.
ElementForce<double> friction_force(const Friction& element, int direction, unsigned branch, double v,
                                    double N, const double* x, double* xdot);

// Height of the peak of the sliding curve in units of its static level, as the last dwell has left it.
inline double peak_of(const Friction& element, const double* x) {
  return element.peak >= 0 ? x[element.peak] : 1.0;
}

// Share of f_s that holds at time t in stick: f_sa/f_s + (1 - f_sa/f_s) t_d / (t_d + T_dwell).
double aged_share(const Friction& element, double t, const double* x);

} // namespace stickslip
