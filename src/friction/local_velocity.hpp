// A piece of the velocity about the start of a span, in time since then: so written that the velocity just
// after a zero has full relative accuracy, which times of large magnitude would spoil.
#pragma once

#include "core/list.hpp"
#include "signal/signal.hpp"

#include <cfloat>
#include <cmath>

namespace stickslip {

struct LocalVelocity {
  Polynomial c{};
  struct Wave {
    double sine, cosine, omega; // A sin and A cos of the phase at the start
  };
  List<Wave> waves;

  void set(const Piece& p, double origin) {
    c = p.c;
    shift(c, origin - p.anchor);
    double magnitude = 0.0, power = 1.0;
    for (double k : p.c) magnitude += std::abs(k) * power, power *= std::abs(origin - p.anchor);
    waves.clear();
    for (const Harmonic& h : p.harmonics) {
      const double angle = h.omega * origin + h.phase;
      waves.push_back({h.amplitude * std::sin(angle), h.amplitude * std::cos(angle), h.omega});
      c[0] += waves.back().sine;
      magnitude += std::abs(h.amplitude);
    }
    if (std::abs(c[0]) <= 16.0 * DBL_EPSILON * magnitude) c[0] = 0.0; // a located zero
  }

  double operator()(double tau) const {
    double sum = polynomial::value(c.data(), signal_max_degree, tau);
    for (const Wave& w : waves) {
      const double half = std::sin(0.5 * w.omega * tau);
      sum += w.cosine * std::sin(w.omega * tau) - 2.0 * w.sine * half * half;
    }
    return sum;
  }
};

} // namespace stickslip
