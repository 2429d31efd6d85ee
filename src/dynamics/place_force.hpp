// What one place of friction contributes to the motion while it is not held by a constraint.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// Sliding curves, bristles, the automaton's lagged force and its elastic presliding.
// v: relative velocity, N: normal load, mode: -1, 0, +1 (0 only in presliding). Fills the rates of the
// place's own states into xdot (entries of a sliding place that rests are left zero) and returns dry force /
// N in `dry` only where the force is proportional to the load, else everything in `other`.
struct PlaceForce {
  double dry = 0.0;   // per unit normal load
  double other = 0.0; // N
};
// An observer reads the rate of what is injected into it from xdot, where the linear part has put it.
// On a contact N is 1: dry is then the coefficient that multiplies the contact's force, and a lag acts on it.
PlaceForce place_force(const Place& place, int mode, unsigned branch, double v, double N, const double* x,
                       double* xdot);

// Dry force per unit load of the sliding curve with its peak scaled to `peak` times the static level (after a
// dwell).
double with_peak(const Place& place, double dry, double peak);

// Spring constant of elastic presliding, k = f_s / s_max.
inline double presliding_stiffness(const Place& place, double N) {
  return place.break_away * N / place.automaton.travel;
}

// Share of f_s that holds at time t in stick: f_sa/f_s + (1 - f_sa/f_s) t_d / (t_d + T_dwell).
double aged_share(const Place& place, double t, const double* x);

} // namespace stickslip
