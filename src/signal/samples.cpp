// Signals through given points.
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/number_text.hpp"
#include "signal/shapes.hpp"

#include <string>

namespace stickslip {

namespace {

std::string at(std::string_view name, Index i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

void check(std::string_view time_name, const VectorRef& t, const VectorRef& y, bool jumps) {
  if (t.size() != y.size())
    reject("values", "has " + std::to_string(y.size()) + " entries, but " + std::string(time_name) + " has " +
                         std::to_string(t.size()));
  if (t.size() < 1) reject(time_name, "is empty: at least one point is needed");
  for (Index i = 0; i < t.size(); ++i) {
    finite(at(time_name, i), t[i]);
    finite(at("values", i), y[i]);
    if (i == 0) continue;
    const std::string before = number_text(t[i - 1]);
    if (jumps ? t[i] < t[i - 1] : t[i] <= t[i - 1])
      reject(at(time_name, i), t[i],
             (jumps ? "no earlier than the time before it, " : "later than the time before it, ") + before);
    if (jumps && i > 1 && t[i] == t[i - 2])
      reject(at(time_name, i), t[i], "given at most twice (a jump), not three times");
  }
}

Signal linear(const VectorRef& t, const VectorRef& y) {
  const Index n = t.size();
  Signal s = constant_signal(y[0]);
  s.pieces.reserve(n + 1);
  for (Index i = 0; i < n; ++i) {
    if (i + 1 < n && t[i + 1] == t[i]) continue;
    Piece& p = s.pieces.emplace_back();
    p.start = p.anchor = t[i];
    p.c[0] = y[i];
    if (i + 1 < n) p.c[1] = (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
  }
  normalise(s);
  return s;
}

Signal hold(const VectorRef& t, const VectorRef& y) {
  Signal s = constant_signal(y[0]);
  s.pieces.reserve(t.size() + 1);
  for (Index i = 0; i < t.size(); ++i) {
    Piece& p = s.pieces.emplace_back();
    p.start = t[i];
    p.c[0] = y[i];
  }
  normalise(s);
  return s;
}

// Slopes at the knots of the cubic spline with continuous second derivative whose third derivative is
// continuous at the second and the last but one knot ("not a knot"): C. de Boor, A Practical Guide to
// Splines, ch. IV. Elimination without exchange of rows is safe: the first pivot is h1, the second h0 + h1,
// the others are dominant.
List<double> spline_slopes(const VectorRef& t, const VectorRef& y) {
  const auto n = t.size();
  const auto T = [&](Index i) { return t[i]; };
  const auto h = [&](Index i) { return T(i + 1) - T(i); };
  const auto m = [&](Index i) { return (y[i + 1] - y[i]) / h(i); };
  if (n == 2) return {m(0), m(0)};
  if (n == 3) { // a parabola
    const double bend = (m(1) - m(0)) / (h(0) + h(1));
    return {m(0) - bend * h(0), m(0) + bend * h(0), m(1) + bend * h(1)};
  }
  List<double> diagonal(n), upper(n), right(n);
  const double d0 = h(0) + h(1);
  diagonal[0] = h(1);
  upper[0] = d0;
  right[0] = ((h(0) + 2.0 * d0) * h(1) * m(0) + h(0) * h(0) * m(1)) / d0;
  for (Index i = 1; i < n; ++i) {
    double lower = 0.0;
    if (i + 1 < n) {
      lower = h(i);
      diagonal[i] = 2.0 * (h(i - 1) + h(i));
      upper[i] = h(i - 1);
      right[i] = 3.0 * (h(i) * m(i - 1) + h(i - 1) * m(i));
    } else {
      const double dn = h(n - 2) + h(n - 3);
      lower = dn;
      diagonal[i] = h(n - 3);
      right[i] = (h(n - 2) * h(n - 2) * m(n - 3) + (2.0 * dn + h(n - 2)) * h(n - 3) * m(n - 2)) / dn;
    }
    const double factor = lower / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    right[i] -= factor * right[i - 1];
  }
  right[n - 1] /= diagonal[n - 1];
  for (Index i = n - 1; i-- > 0;) right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i];
  return right;
}

Signal cubic(const VectorRef& t, const VectorRef& y) {
  const Index n = t.size();
  const List<double> slope = spline_slopes(t, y);
  Signal s = constant_signal(y[0]);
  s.pieces.reserve(n + 1);
  for (Index i = 0; i < n; ++i) {
    Piece& p = s.pieces.emplace_back();
    p.start = p.anchor = t[i];
    p.c[0] = y[i];
    if (i + 1 == n) break;
    const double h = t[i + 1] - t[i], mean = (y[i + 1] - y[i]) / h;
    const double left = slope[i], right = slope[i + 1];
    const double bend = (left + right - 2.0 * mean) / h;
    p.c[1] = left;
    p.c[2] = (mean - left) / h - bend;
    p.c[3] = bend / h;
  }
  normalise(s);
  return s;
}

} // namespace

Signal piecewise_signal(const VectorRef& times, const VectorRef& values) {
  check("t", times, values, true);
  return linear(times, values);
}

Signal samples_signal(const VectorRef& times, const VectorRef& values, Interpolation kind) {
  check("t", times, values, false);
  if (kind != Interpolation::hold && times.size() < 2)
    reject("t", "has one entry: linear and cubic interpolation need at least two samples");
  switch (kind) {
  case Interpolation::linear:
    return linear(times, values);
  case Interpolation::cubic:
    return cubic(times, values);
  case Interpolation::hold:
    break;
  }
  return hold(times, values);
}

} // namespace stickslip
