#include "dynamics/place_force.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

double with_peak(const Place& place, double dry, double peak) {
  const double rise = place.break_away - place.kinetic;
  if (rise <= 0.0) return dry;
  const double shape = (std::abs(dry) - place.kinetic) / rise; // 1 at v = 0, 0 far away
  const double level = place.kinetic + (peak * place.break_away - place.kinetic) * shape;
  return std::copysign(level, dry);
}

double aged_share(const Place& place, double t, const double* x) {
  if (place.aged < 0) return 1.0;
  const double share = x[place.aged];
  const double clock = std::max(0.0, t - x[place.entered]);
  return share + (1.0 - share) * clock / (clock + place.automaton.dwell);
}

PlaceForce place_force(const Place& place, int mode, unsigned branch, double v, double N, const double* x,
                       double* xdot) {
  const Automaton& a = place.automaton;
  if (mode == 0) { // elastic presliding: the stuck surface is a spring and a damper
    xdot[place.surface_travel] = v;
    return {presliding_stiffness(place, 1.0) * x[place.surface_travel], a.surface_damping * v};
  }
  const double* z = place.states >= 0 ? x + place.states : nullptr;
  double* zdot = place.states >= 0 ? xdot + place.states : nullptr;
  double with_injection = 0.0; // of an observer, whose law has just one state
  if (place.injected >= 0) {
    with_injection = *z + x[place.injected];
    z = &with_injection;
  }
  Force f = evaluate(place.law, v, mode, branch, z, zdot);
  if (place.peak >= 0) f.dry = with_peak(place, f.dry, x[place.peak]);
  if (place.injected >= 0) f.dry += place.rate_damping * xdot[place.injected];
  if (place.lagged < 0) return {f.dry, f.viscous};
  // T f' + f = N f_Stribeck(|v|); the lagged force acts against the direction of sliding.
  xdot[place.lagged] = (N * f.dry * mode - x[place.lagged]) / a.lag;
  if (place.contact >= 0) return {x[place.lagged] * mode, f.viscous};
  return {0.0, x[place.lagged] * mode + f.viscous};
}

} // namespace stickslip
