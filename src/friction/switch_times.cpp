#include "friction/switch_times.hpp"

#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

bool is_straight(const Piece& p) {
  return p.harmonics.empty() && std::all_of(p.c.begin() + 2, p.c.end(), [](double c) { return c == 0.0; });
}

// The zero of f between a and b, where its signs differ.
template <class F> double bisect(F&& f, double a, double b) {
  const bool rising = f(b) > 0.0;
  while (true) {
    const double m = a + 0.5 * (b - a);
    if (!(m > a && m < b)) return m;
    ((f(m) > 0.0) == rising ? b : a) = m;
  }
}

} // namespace

List<double> crossings(const Piece& p, double level, double from, double to) {
  List<double> out;
  const double edge = tolerance::few_terms * std::max({std::abs(from), std::abs(to), to - from});
  const auto add = [&](double t) {
    if (t > from + edge && t < to - edge) out.push_back(t);
  };
  if (is_straight(p)) {
    if (p.c[1] != 0.0) add(p.anchor + (level - p.c[0]) / p.c[1]);
    return out;
  }

  const Signal alone{{p}, {}, 1.0, 0.0};
  const auto f = [&](double t) { return value(alone, t) - level; };
  const auto df = [&](double t) { return derivative(alone, t, 1); };
  double fastest = 0.0;
  for (const Harmonic& h : p.harmonics) fastest = std::max(fastest, std::abs(h.omega));
  const double periods = fastest * (to - from) / (2.0 * std::numbers::pi);
  const auto count = static_cast<Index>(64.0 + 32.0 * periods);
  const auto at = [&](Index k) {
    return from + (to - from) * (static_cast<double>(k) / static_cast<double>(count));
  };

  double largest = 0.0;
  for (Index k = 0; k <= count; ++k) largest = std::max(largest, std::abs(f(at(k))));
  const double touch = tolerance::rounding * largest;
  const auto sign = [&](double x) { return x > touch ? 1 : (x < -touch ? -1 : 0); };

  // Points of clear sign: samples and the extrema between them. Two of different sign enclose a crossing.
  double last = from;
  int side = sign(f(from));
  const auto visit = [&](double t) {
    const int here = sign(f(t));
    if (here == 0) return;
    if (side != 0 && here != side) add(bisect(f, last, t));
    side = here;
    last = t;
  };
  for (Index k = 1; k <= count; ++k) {
    if (df(at(k - 1)) * df(at(k)) < 0.0) visit(bisect(df, at(k - 1), at(k)));
    visit(at(k));
  }
  return out;
}

} // namespace stickslip
