#include "dynamics/place_force.hpp"

#include <algorithm>

namespace stickslip {

double aged_share(const Place& place, double t, const double* x) {
  if (place.aged < 0) return 1.0;
  const double share = x[place.aged];
  const double clock = std::max(0.0, t - x[place.entered]);
  return share + (1.0 - share) * clock / (clock + place.automaton.dwell);
}

PlaceForce place_force(const Place& place, int direction, unsigned branch, double v, double N,
                       const double* x, double* xdot) {
  ElementInput<double> in;
  in.velocity = v;
  in.load = N;
  const Index memory = memory_of(place, direction);
  if (memory >= 0) in.memory = x[memory];
  if (place.peak >= 0) in.peak = x[place.peak];
  if (place.injected >= 0) in.injected = x[place.injected], in.injection_rate = xdot[place.injected];
  if (place.states >= 0) in.z = x + place.states, in.zdot = xdot + place.states;
  const PlaceForce f = element_force(place.law, place, direction, branch, in);
  if (memory >= 0) xdot[memory] = f.memory_rate;
  return f;
}

} // namespace stickslip
