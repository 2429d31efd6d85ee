#include "transition/automaton_states.hpp"

#include "dynamics/friction_force.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

Force curve_of(const Friction& p, int mode, double v, double N, const double* x) {
  return sliding_force(p.law, p, mode, 0U, v, peak_of(p, x), nullptr, nullptr, N);
}

double remembered_dry(const Friction& p, int mode, double N, const double* x) {
  return delayed_dry(p.law, p, mode, x[p.delayed], peak_of(p, x), N);
}

} // namespace

double reached_force(const Friction& p, int mode, double N, const double* x) {
  if (p.lagged >= 0) return x[p.lagged];
  if (p.delayed >= 0) return std::abs(remembered_dry(p, mode, N, x)) * N;
  return std::abs(curve_of(p, mode, 0.0, N, x).dry) * N;
}

void start_clock(const Friction& p, int was, double N, double t, double* x) {
  if (p.aged < 0) return;
  const double level = p.break_away * N;
  x[p.aged] = level > 0.0 ? reached_force(p, was, N, x) / level : 1.0;
  x[p.entered] = t;
}

void let_go(const Friction& p, double* x) {
  if (p.surface_travel >= 0) x[p.surface_travel] = 0.0;
  if (p.lagged >= 0) x[p.lagged] = 0.0;
}

void start_in_mode(const Friction& p, int is, double v, double N, double t, double* x) {
  if (p.aged >= 0) x[p.aged] = x[p.peak] = 1.0, x[p.entered] = t;
  if (p.surface_travel >= 0 && is != 0) x[p.surface_travel] = 0.0;
  if (p.delayed >= 0) x[p.delayed] = is == 0 ? 0.0 : v;
  if (p.lagged >= 0) x[p.lagged] = is == 0 ? p.break_away * N : curve_of(p, is, v, N, x).dry * is * N;
}

void start_under_load(const Friction& p, int is, double v, double N, double t, double* x) {
  const double lagged = p.lagged >= 0 ? x[p.lagged] : 0.0, delayed = p.delayed >= 0 ? x[p.delayed] : 0.0;
  start_in_mode(p, is, v, N, t, x);
  if (p.lagged >= 0 && is != 0) x[p.lagged] = lagged;
  if (p.delayed >= 0) x[p.delayed] = delayed;
}

void change_mode(const Friction& p, int was, int is, double v, double N, double t, double* x) {
  if (is == 0) {
    if (p.surface_travel < 0) return;
    start_clock(p, was, N, t, x);
    const double k = presliding_stiffness(p, N);
    x[p.surface_travel] = k > 0.0 ? reached_force(p, was, N, x) * was / k : 0.0;
  } else if (was == 0) {
    const double share = aged_share(p, t, x);
    if (p.peak >= 0) x[p.peak] = share;
    if (p.lagged >= 0) {
      const double viscous = curve_of(p, is, v, N, x).viscous * is;
      x[p.lagged] = std::max(0.0, share * p.break_away * N - viscous);
    }
  } else if (is == -was && p.lagged >= 0) {
    x[p.lagged] = std::min(x[p.lagged], aged_share(p, t, x) * p.break_away * N);
  }
}

} // namespace stickslip
