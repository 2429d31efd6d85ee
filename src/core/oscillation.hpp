// Closed form of x' = A x + f for two states whose eigenvalues are -d +- i w. With B = A + d I, B B = -w^2 I,
// and r = A x0 + f, the rate at the start,
//   x(t) = x0 + p(t) r + q(t) B r,   x'(t) = p'(t) r + q'(t) B r,
//   p' = e^{-d t} cos w t,  q' = e^{-d t} sin(w t) / w,  p(0) = q(0) = 0.
// No equilibrium is formed, so that a soft spring costs no digits.
#pragma once

#include "core/types.hpp"

#include <cmath>

namespace stickslip {

struct Oscillation {
  double d = 0.0, w = 0.0;
  double inverse_w = 0.0, inverse_square = 0.0; // 1 / w, 1 / (d^2 + w^2)
  double B[4] = {};                             // column by column

  // False if the eigenvalues are real, or so close to each other that the closed form loses digits.
  bool set(double a11, double a21, double a12, double a22);
};

struct OscillationWeights {
  double p, q, p_rate, q_rate;
};

inline OscillationWeights weights_at(const Oscillation& o, double t) {
  const double s = std::sin(o.w * t), c = std::cos(o.w * t);
  if (o.d == 0.0) {
    // 1 - cos w t without cancellation
    const double half = c > 0.0 ? s * s / (1.0 + c) : 1.0 - c;
    return {s * o.inverse_w, half * o.inverse_square, c, s * o.inverse_w};
  }
  const double less = std::expm1(-o.d * t), e = 1.0 + less;
  const double lack = (c > 0.0 ? s * s / (1.0 + c) : 1.0 - c) - less * c; // 1 - e cos w t
  const double sine = e * s * o.inverse_w;
  const double p = (o.d * lack + o.w * o.w * sine) * o.inverse_square;
  return {p, (lack - o.d * sine) * o.inverse_square, e * c, sine};
}

// First t in (0, limit] at which g(t) = g0 + alpha p(t) + beta q(t) rises above zero, where g(0) <= 0, or
// g(0) = 0 and g falls at first; infinity if there is none. Between neighbouring zeros of the slope, whose
// phases are known, g is monotone: nothing can be missed. Excursions above zero by less than `noise` are
// touches. `at` gets the weights at the time `near`, which is the returned one up to a last correction.
double first_rise(const Oscillation& o, double g0, double alpha, double beta, double noise, double limit,
                  OscillationWeights& at, double& near);

// The motion of both states over a step h as polynomials in theta = t / h: x[i] at its start, r its rate there and
// b = B r. Writes term k of state i to terms[i][k * stride], k = 0 ... degree, and returns the degree, at most `last`.
// The truncation error is below 2^-60 of the state if h <= series_reach and last >= 34.
inline double series_reach(const Oscillation& o) {
  constexpr double terms_shrink =
      3.4; // radians: the 33rd term is below 2^-60, the greatest about 7 times the motion
  return terms_shrink * std::sqrt(o.inverse_square);
}
Index series(const Oscillation& o, double h, const double (&x)[2], const double (&r)[2], const double (&b)[2],
             Index last, Index stride, double* const (&terms)[2]);

} // namespace stickslip
