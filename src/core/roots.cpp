#include "core/roots.hpp"

#include "core/error.hpp"
#include "core/polynomial.hpp"
#include "core/tolerances.hpp"

#include <array>

namespace stickslip {
namespace {

constexpr int max_coefficients = guard_max_degree + 1;
constexpr int max_depth = 52; // intervals of 2^-52: shorter ones have no distinct values of theta
using Row = std::array<double, max_coefficients>;

// 1 / binomial(n, k)
constexpr auto inverse_binomial = [] {
  std::array<Row, max_coefficients> table{};
  std::array<double, max_coefficients> row{};
  row[0] = 1.0;
  for (int n = 0; n < max_coefficients; ++n) {
    if (n > 0)
      for (int k = n; k >= 1; --k) row[k] += row[k - 1];
    for (int k = 0; k <= n; ++k) table[n][k] = 1.0 / row[k];
  }
  return table;
}();

// b_j = sum_k binomial(j, k) / binomial(n, k) c_k. All weights are <= 1, so rounding stays at the level of
// sum |c_k|.
void bernstein(const double* c, int n, double* b) {
  const double* scale = inverse_binomial[n].data();
  Row reversed;
  double* r = reversed.data();
  for (int k = 0; k <= n; ++k) r[n - k] = c[k] * scale[k];
  for (int i = 1; i <= n; ++i) {
    const int end = n - i;
    for (int m = 0; m <= end; ++m) r[m] += r[m + 1];
  }
  for (int k = 0; k <= n; ++k) b[k] = r[n - k];
}

// Halves the interval (de Casteljau): `b` becomes the right half, `left` the left one.
void halve(double* b, int n, double* left) {
  left[0] = b[0];
  for (int i = 1; i <= n; ++i) {
    const int end = n - i;
    for (int j = 0; j <= end; ++j) b[j] = 0.5 * (b[j] + b[j + 1]);
    left[i] = b[0];
  }
}

struct Signs {
  int changes = 0; // between coefficients that are not negligible
  int first = 0;   // sign of the first of these, 0 if there is none
  bool plus = false, minus = false;
};

Signs signs_of(const double* b, int n, double noise) {
  Signs s;
  int last = 0;
  for (int k = 0; k <= n; ++k) {
    const int sign = b[k] > noise ? 1 : (b[k] < -noise ? -1 : 0);
    if (sign == 0) continue;
    if (last == 0) s.first = sign;
    s.changes += (last != 0 && sign != last) ? 1 : 0;
    s.plus |= sign > 0;
    s.minus |= sign < 0;
    last = sign;
  }
  return s;
}

// Newton's method kept inside a bracket; sign * p is not positive at lo and positive at hi.
double polish(const double* c, int n, double sign, double lo, double hi, double guess) {
  constexpr double eps = tolerance::epsilon;
  double x = guess > lo && guess < hi ? guess : 0.5 * (lo + hi);
  double previous = hi - lo;
  bool newton = false; // `previous` is the length of a Newton step, used to measure how fast the steps shrink
  for (int i = 0; i < 100; ++i) {
    const auto [raw, slope] = polynomial::value_slope(c, n, x);
    const double p = sign * raw;
    if (p == 0.0) return x;
    (p > 0.0 ? hi : lo) = x;
    double next = x - raw / slope;
    double step = std::abs(next - x);
    if (!(next > lo && next < hi) || step > 0.5 * previous) {
      if (step <= 0.5 * eps * x) return x;
      if (hi - lo <= eps * hi) return hi;
      next = 0.5 * (lo + hi);
      step = std::abs(next - x);
      newton = false;
    } else if (newton && step * (step / previous) * (step / previous) <= 0.25 * eps * next) {
      return next; // the next correction, as quadratic convergence predicts it, would not be seen
    } else {
      newton = true;
    }
    previous = step;
    x = next;
  }
  return x;
}

// Visits the changes of sign of p in order: visit(theta, upward) returns true to stop. `above` is the state
// of a trigger with hysteresis: it turns on only where p > noise is certain and off only where p < -noise is.
template <class Visit> bool walk(const double* c, int n, double noise, bool& above, Visit&& visit) {
  std::array<Row, max_depth + 2> stack; // depth first, left before right
  std::array<double, max_depth + 2> from, width;
  // The last terms of a converged series are below the noise: isolation does without them, polishing does
  // not.
  const int whole = n;
  double dropped = 0.0;
  while (n > 1 && dropped + std::abs(c[n]) <= 0.125 * noise) dropped += std::abs(c[n--]);
  noise += dropped;
  bernstein(c, n, stack[0].data());
  from[0] = 0.0, width[0] = 1.0;
  for (int top = 0; top >= 0;) {
    double* b = stack[top].data();
    const double a = from[top], w = width[top];
    const Signs s = signs_of(b, n, noise);
    const bool may_turn = above ? s.minus : s.plus;
    if (!may_turn) {
      --top;
      continue;
    }
    const double sign = above ? -1.0 : 1.0;
    const int wanted = above ? -1 : 1; // sign towards which the state turns
    const bool certain = sign * b[n] > noise;
    const bool single = s.changes == 0 || (s.changes == 1 && s.first == -wanted);
    if ((single && certain) || top == max_depth) {
      --top;
      if (!certain) continue;
      double guess = a + 0.5 * w; // where the control polygon crosses
      for (int k = 0; k < n; ++k)
        if (sign * b[k] <= 0.0 && sign * b[k + 1] > 0.0) {
          guess = a + w * (k + b[k] / (b[k] - b[k + 1])) / n;
          break;
        }
      const bool late =
          sign * polynomial::value(c, whole, a) > 0.0; // it was within the noise before this interval
      const double theta = late ? a : polish(c, whole, sign, a, a + w, guess);
      above = !above;
      if (visit(theta, above)) return true;
      continue;
    }
    // The right half keeps its place on the stack, the left one is pushed on top of it.
    double* left = stack[top + 1].data();
    halve(b, n, left);
    from[top] = a + 0.5 * w;
    from[top + 1] = a;
    width[top] = width[top + 1] = 0.5 * w;
    ++top;
  }
  return false;
}

// True only if p < -noise on [0, 1], by the first terms and the sum of magnitudes of all others: a convergent
// series is dominated by its first terms, and Bernstein bounds cost the square of the degree.
bool clearly_negative(const double* c, int n, double noise) {
  constexpr int low = 12;
  if (n < low + 8) return false;
  double rest = 0.0;
  for (int k = low + 1; k <= n; ++k) rest += std::abs(c[k]);
  const double limit = -(noise + rest);
  const auto below = [&](const double* b) {
    return std::all_of(b, b + low + 1, [&](double x) { return x < limit; });
  };
  Row whole, left;
  bernstein(c, low, whole.data());
  if (!(whole[0] < limit && whole[low] < limit)) return false;
  if (below(whole.data())) return true;
  halve(whole.data(), low, left.data());
  return below(left.data()) && below(whole.data());
}

int trimmed(const double* c, int degree) {
  if (degree < 0 || degree > guard_max_degree) reject("degree", degree, "from 0 to 40");
  while (degree > 0 && c[degree] == 0.0) --degree;
  return degree;
}

} // namespace

namespace detail {

Crossing first_crossing_isolate(const double* c, int degree, double magnitude, double extra) {
  const int n = trimmed(c, degree);
  const double noise = guard_noise(magnitude) + extra;
  bool above = c[0] > noise;
  if (!above && clearly_negative(c, n, noise)) return {};
  Crossing result;
  const bool fired = walk(c, n, noise, above, [&](double theta, bool upward) {
    if (!upward) return false;
    result = {.found = true, .at_once = theta == 0.0, .theta = theta};
    return true;
  });
  if (fired || above || n == 0) return result;
  // The interval is closed on the right: a zero at its end counts if the curve, continued, leaves the noise
  // upwards.
  const auto [end, slope] = polynomial::value_slope(c, n, 1.0);
  if (end < -noise || slope <= 0.0) return result;
  double bend = 0.0;
  for (int k = 2; k <= n; ++k) bend += static_cast<double>(k * (k - 1)) * c[k];
  if (bend >= 0.0 || end + 0.5 * slope * slope / -bend > noise)
    result = {.found = true, .at_once = false, .theta = 1.0};
  return result;
}

// p = theta^m q with q(0) != 0: the crossings of p on (0, 1] are those of q, whose relative error does not grow near
// zero.
Crossing first_crossing_from_zero(const double* c, int degree, double noise) {
  double magnitude = 0.0;
  for (int k = 1; k <= degree; ++k) magnitude += std::abs(c[k]);
  const double negligible = guard_noise(magnitude) + noise;
  int m = 1;
  while (m <= degree && std::abs(c[m]) <= negligible) ++m;
  if (m > degree) return {};
  if (c[m] > 0.0) return {.found = true, .at_once = true, .theta = 0.0};
  return first_crossing(c + m, degree - m, GuardStart::as_is, noise);
}

} // namespace detail

Extremes extremes(const double* c, int degree) {
  const int n = trimmed(c, degree);
  Extremes e{c[0], 0.0, c[0], 0.0};
  const auto consider = [&](double theta) {
    const double p = polynomial::value(c, n, theta);
    if (p < e.minimum) e.minimum = p, e.at_minimum = theta;
    if (p > e.maximum) e.maximum = p, e.at_maximum = theta;
  };
  consider(1.0);
  if (n < 2) return e;
  Row slope;
  double magnitude = 0.0;
  for (int k = 1; k <= n; ++k) {
    slope[k - 1] = k * c[k];
    magnitude += std::abs(k * c[k]);
  }
  const double noise = guard_noise(magnitude);
  bool above = slope[0] > noise;
  walk(slope.data(), n - 1, noise, above, [&](double theta, bool) {
    consider(theta);
    return false;
  });
  return e;
}

} // namespace stickslip
