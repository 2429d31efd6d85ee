#include "signal/least.hpp"

#include "core/roots.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

// A harmonic's series over a radian has converged to rounding well before this.
constexpr int terms = 24;

void consider(Least& best, double value, double t) {
  if (value < best.value) best.value = value, best.t = t;
}

// Over [a, a + h], by the signal's Taylor series about a.
void look(Least& best, const Signal& s, double a, double h) {
  std::array<double, terms> c{};
  taylor(s, a, terms, c.data());
  double power = 1.0, size = 0.0;
  for (double& x : c) x *= power, power *= h, size += std::abs(x);
  const Extremes e = extremes(c.data(), terms - 1);
  best.size = std::max(best.size, size);
  consider(best, e.minimum, a + e.at_minimum * h);
}

} // namespace

Least least(const Signal& s, double t0, double t1) {
  Least best{value(s, t0), t0, std::abs(value(s, t0))};
  long pieces = 0;
  for (double t = t0; t < t1 && pieces < 1'000'000;) {
    const double end = std::min(next_breakpoint(s, t), t1);
    const Piece& p = *piece_at(s, t).piece;
    double fastest = 0.0, swing = 0.0;
    for (const Harmonic& h : p.harmonics)
      fastest = std::max(fastest, std::abs(h.omega)), swing += std::abs(h.amplitude);
    const bool constant_otherwise =
        std::all_of(p.c.begin() + 1, p.c.end(), [](double c) { return c == 0.0; });
    best.size = std::max(best.size, std::abs(p.c[0]) + swing);
    if (constant_otherwise &&
        p.c[0] - swing >= -tolerance::few_terms * best.size) { // an offset that no swing takes below zero
      consider(best, std::max(0.0, p.c[0] - swing), t);
    } else if (fastest == 0.0) {
      look(best, s, t, end - t);
    } else {
      for (double a = t; a < end && pieces < 1'000'000; a += 1.0 / fastest, ++pieces)
        look(best, s, a, std::min(1.0 / fastest, end - a));
    }
    t = end;
  }
  return best;
}

} // namespace stickslip
