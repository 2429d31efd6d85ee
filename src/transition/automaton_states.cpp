#include "transition/automaton_states.hpp"

#include "dynamics/place_force.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

double reached_force(const Place& p, int mode, double N, const double* x) {
  if (p.lagged >= 0) return x[p.lagged];
  double dry = evaluate(p.law, 0.0, mode, 0, nullptr, nullptr).dry;
  if (p.peak >= 0) dry = with_peak(p, dry, x[p.peak]);
  return std::abs(dry) * N;
}

void start_clock(const Place& p, int was, double N, double t, double* x) {
  if (p.aged < 0) return;
  const double level = p.break_away * N;
  x[p.aged] = level > 0.0 ? reached_force(p, was, N, x) / level : 1.0;
  x[p.entered] = t;
}

void start_in_mode(const Place& p, int is, double v, double N, double t, double* x) {
  if (p.aged >= 0) x[p.aged] = x[p.peak] = 1.0, x[p.entered] = t;
  if (p.surface_travel >= 0 && is != 0) x[p.surface_travel] = 0.0;
  if (p.lagged >= 0)
    x[p.lagged] = is == 0 ? p.break_away * N : evaluate(p.law, v, is, 0, nullptr, nullptr).dry * is * N;
}

void change_mode(const Place& p, int was, int is, double v, double N, double t, double* x) {
  if (is == 0) {
    if (p.surface_travel < 0) return;
    start_clock(p, was, N, t, x);
    const double k = presliding_stiffness(p, N);
    x[p.surface_travel] = k > 0.0 ? reached_force(p, was, N, x) * was / k : 0.0;
  } else if (was == 0) {
    const double share = aged_share(p, t, x);
    if (p.peak >= 0) x[p.peak] = share;
    if (p.lagged >= 0) {
      const double viscous = evaluate(p.law, v, is, 0, nullptr, nullptr).viscous * is;
      x[p.lagged] = std::max(0.0, share * p.break_away * N - viscous);
    }
  } else if (is == -was && p.lagged >= 0) {
    x[p.lagged] = std::min(x[p.lagged], aged_share(p, t, x) * p.break_away * N);
  }
}

} // namespace stickslip
