// Roots of guards within a step. A guard is a scalar polynomial p(theta) = sum_k c[k] theta^k on (0, 1];
// it fires where p goes from not positive to positive. Isolation is by Bernstein coefficients: they bound p
// from both sides, and one change of their sign means exactly one root (Descartes), so nothing is missed
// however close two roots are.
#pragma once

#include "core/tolerances.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

inline constexpr int guard_max_degree = 40;

enum class GuardStart {
  as_is, // p(0) = c[0]
  zero // p(0) is zero by construction: c[0] is ignored, the first coefficient that is not negligible decides
};

struct Crossing {
  bool found = false;
  bool at_once = false; // positive from theta = 0 on: theta = 0
  double theta = 0.0;
};

// Rounding error of a guard: excursions beyond zero smaller than this are touches, not crossings.
inline double guard_noise(double sum_of_magnitudes) {
  return tolerance::polynomial * sum_of_magnitudes;
}

namespace detail {
Crossing first_crossing_isolate(const double* c, int degree, double magnitude, double noise);
Crossing first_crossing_from_zero(const double* c, int degree, double noise);
} // namespace detail

// The first upward crossing on (0, 1]. `noise` >= 0 is added to the rounding level of the coefficients, for guards that
// carry cancellation from before. A guard that starts above the noise must come down before it can fire. A zero at
// theta = 1 belongs to this step if p rises there.
inline Crossing first_crossing(const double* c, int degree, GuardStart start = GuardStart::as_is,
                               double noise = 0.0) {
  if (start == GuardStart::zero) return detail::first_crossing_from_zero(c, degree, noise);
  // p <= c0 + sum of the positive other coefficients; most guards of most steps end here.
  double sum0 = 0.0, sum1 = 0.0, abs0 = 0.0, abs1 = 0.0;
  int k = 1;
  for (; k + 1 <= degree; k += 2) {
    sum0 += c[k], abs0 += std::abs(c[k]);
    sum1 += c[k + 1], abs1 += std::abs(c[k + 1]);
  }
  if (k <= degree) sum0 += c[k], abs0 += std::abs(c[k]);
  const double magnitude = abs0 + abs1;
  const double positive_part = 0.5 * (magnitude + (sum0 + sum1));
  const double allowance = guard_noise(magnitude + std::abs(c[0])) + noise;
  if (c[0] + positive_part < -allowance) return {};
  if (degree == 1) { // a line
    const double end = c[0] + c[1];
    if (c[0] > allowance || c[1] <= 0.0) return {};
    const double theta = end > allowance ? std::clamp(-c[0] / c[1], 0.0, 1.0) : 1.0;
    return {.found = true, .at_once = theta == 0.0, .theta = theta};
  }
  if (c[0] - (magnitude - positive_part) > allowance) return {};
  return detail::first_crossing_isolate(c, degree, magnitude + std::abs(c[0]), noise);
}

struct Extremes {
  double minimum = 0.0, at_minimum = 0.0; // theta in [0, 1]
  double maximum = 0.0, at_maximum = 0.0;
};

// Least and greatest value of p on [0, 1].
Extremes extremes(const double* c, int degree);

// Root of a continuous function between a and b, f(a) and f(b) of different sign (or zero): inverse quadratic
// interpolation where it is trustworthy, else bisection (Chandrupatla, Adv. Eng. Software 28 (1997) 145-149).
// The returned place is within 2 eps |x| + absolute of a change of sign; NaN if there was none.
template <class F> double refine_root(F&& f, double a, double b, double absolute = 0.0) {
  constexpr double eps = tolerance::epsilon;
  double fa = f(a), fb = f(b);
  if (fa == 0.0) return a;
  if (fb == 0.0) return b;
  if (!((fa < 0.0) != (fb < 0.0))) return std::numeric_limits<double>::quiet_NaN();
  double fraction = 0.5; // of the way from b (newest) to a
  double c = a, fc = fa; // the place before
  std::swap(a, b), std::swap(fa, fb);
  c = b, fc = fb;
  for (int i = 0; i < 200; ++i) {
    const double x = a + fraction * (b - a);
    const double fx = f(x);
    if ((fx < 0.0) == (fa < 0.0)) {
      c = a, fc = fa;
    } else {
      c = b, fc = fb;
      b = a, fb = fa;
    }
    a = x, fa = fx;
    const double best = std::abs(fa) < std::abs(fb) ? a : b;
    const double least = 2.0 * eps * std::abs(best) + absolute;
    const double width = std::abs(b - a);
    const double limit = width > 0.0 ? least / width : 1.0;
    if (limit > 0.5 || fa == 0.0) return best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi) {
      fraction = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    } else {
      fraction = 0.5;
    }
    fraction = std::clamp(fraction, limit, 1.0 - limit);
  }
  return std::abs(fa) < std::abs(fb) ? a : b;
}

} // namespace stickslip
