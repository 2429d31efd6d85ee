#include "core/oscillation.hpp"

#include "core/tolerances.hpp"

#include <algorithm>
#include <limits>

namespace stickslip {

namespace {
constexpr double pi = 3.14159265358979323846;
}

bool Oscillation::set(double a11, double a21, double a12, double a22) {
  const double half = 0.5 * (a11 - a22), square = -(half * half + a12 * a21);
  d = -0.5 * (a11 + a22);
  // The relative error of w is that of the matrix times 1 + d^2 / w^2.
  if (!(square > 0.1 * (d * d + square)) || !(d > -std::sqrt(square))) return false;
  w = std::sqrt(square);
  inverse_w = 1.0 / w;
  inverse_square = 1.0 / (d * d + square);
  B[0] = half, B[1] = a21, B[2] = a12, B[3] = -half;
  return std::isfinite(inverse_square) && inverse_square > 0.0;
}

double first_rise(const Oscillation& o, double g0, double alpha, double beta, double noise, double limit,
                  OscillationWeights& at, double& near) {
  constexpr double eps = tolerance::epsilon;
  // The slope is e^{-d t} R cos(w t - psi).
  const double psi = std::atan2(beta * o.inverse_w, alpha);
  double phase = psi + 0.5 * pi;
  if (phase > pi)
    phase -= pi;
  else if (phase <= 0.0)
    phase += pi;
  double a = 0.0, ga = g0;
  bool extreme = false; // a is one
  for (;; phase += pi) {
    const bool cut = phase >= o.w * limit;
    const double b = cut ? limit : phase * o.inverse_w;
    const OscillationWeights end = weights_at(o, b);
    const double gb = g0 + alpha * end.p + beta * end.q;
    if (!(gb > noise)) {
      if (cut) return std::numeric_limits<double>::infinity();
      a = b, ga = gb, extreme = true;
      continue;
    }
    // One crossing between a and b. From one extreme to the next g is nearly half a cosine.
    double lo = a, hi = b, t = a + (b - a) * std::min(1.0, -ga / (gb - ga));
    if (extreme && !cut)
      t = 0.5 * (a + b) + std::asin(std::clamp((ga + gb) / (ga - gb), -1.0, 1.0)) * o.inverse_w;
    if (!(t > lo && t < hi)) t = 0.5 * (lo + hi);
    for (int i = 0; i < 100; ++i) {
      at = weights_at(o, t);
      near = t;
      const double g = g0 + alpha * at.p + beta * at.q;
      if (g == 0.0) return t;
      (g > 0.0 ? hi : lo) = t;
      const double slope = alpha * at.p_rate + beta * at.q_rate;
      const double bend = beta * at.p_rate - alpha * o.w * o.w * at.q_rate - o.d * slope;
      const double step = -g / slope;
      double next = t + step;
      if (!(next > lo && next < hi)) {
        if (std::abs(step) <= eps * t || hi - lo <= eps * hi) return t;
        next = 0.5 * (lo + hi);
      } else if (step * step * std::abs(bend) <= 0.25 * eps * t * std::abs(slope)) {
        return next; // the remaining error of Newton's method is below rounding
      }
      t = next;
    }
    return t;
  }
}

// c_k, s_k: terms of p' = e^{-d t} cos w t and q' = e^{-d t} sin(w t) / w, which follow from
// p'' = -d p' - w^2 q', q'' = p' - d q'; those of p and q are their integrals.
Index series(const Oscillation& o, double h, const double (&x)[2], const double (&r)[2], const double (&b)[2],
             Index last, Index stride, double* const (&terms)[2]) {
  constexpr double negligible = 0x1p-60;
  const double square = o.w * o.w;
  double c = 1.0, s = 0.0, size[2];
  for (int i = 0; i < 2; ++i) terms[i][0] = x[i], size[i] = std::abs(x[i]);
  int small = 0; // terms in a row that are negligible: every other one may be zero
  for (Index k = 1; k <= last; ++k) {
    const double step = h / static_cast<double>(k);
    const double p = c * step, q = s * step;
    bool tiny = k > 2;
    for (int i = 0; i < 2; ++i) {
      const double term = p * r[i] + q * b[i];
      terms[i][k * stride] = term;
      if (k <= 2)
        size[i] = std::max(size[i], std::abs(term));
      else
        tiny = tiny && std::abs(term) <= negligible * size[i];
    }
    small = tiny ? small + 1 : 0;
    if (small == 2) return k - 2;
    c = -o.d * p - square * q, s = p - o.d * q;
  }
  return last;
}

} // namespace stickslip
