// Guards that only graze: they come to zero from below and turn back, and nothing fires.
#include "sensitivity/variation.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double touch_reach = 0.7;    // of the fastest thing in a motion: guards are nearly parabolas there
constexpr double parabola_error = 0.2; // of their greatest value: what these are off
constexpr double zero_at_top = 1e-10;  // of a guard's size
constexpr double start_of_part = 1e-3; // there a guard may stand at zero, from which it goes down
constexpr int golden_rounds = 60;

// Where the parabola through three values over 0, 1/2, 1 is greatest, and how great; no hill: before 0.
std::pair<double, double> top_of(double a, double m, double b) {
  const double bend = 2.0 * (a - 2.0 * m + b), slope = 4.0 * m - 3.0 * a - b;
  if (!(bend < 0.0)) return {-1.0, 0.0};
  const double at = -slope / (2.0 * bend);
  return {at, a + 0.5 * slope * at};
}

} // namespace

List<Variation::Touch> Variation::touches(const Trajectory& run, const Segment& segment, double t0, double t1,
                                          const State& sizes) {
  List<Touch> found;
  const Modes& modes = segment.regime->modes;
  const Regime& r = machine.regime(modes);
  if (r.guards.empty() || !(t1 > t0)) return found;
  Vector x(machine.system().nx);
  const auto guards_at = [&](double t) -> Vector {
    run.state_at(segment, t, x.data());
    if (r.affine) return r.Gx * x + r.Gs * machine.signals(t0, t);
    return machine.guards(modes, t0, t, x.data());
  };
  const double parts = r.affine ? std::max(1.0, std::ceil(pace_of(r, t0) * (t1 - t0) / touch_reach)) : 1.0;
  const double h = (t1 - t0) / parts;
  Vector first = guards_at(t0), middle, last;
  for (double part = 0.0; part < parts; ++part, first = last) {
    const double t = t0 + part * h;
    middle = guards_at(t + 0.5 * h), last = guards_at(t + h);
    for (Index k = 0; k < r.guards.size(); ++k) {
      const auto [at, top] = top_of(first(k), middle(k), last(k));
      const double most = std::max({std::abs(first(k)), std::abs(middle(k)), std::abs(last(k))});
      if (!(at > 0.0 && at <= 1.0) || top < -parabola_error * most) continue;
      double low = t, high = t + h; // golden section
      for (int i = 0; i < golden_rounds; ++i) {
        const double a = low + 0.381966 * (high - low), b = high - 0.381966 * (high - low);
        (guards_at(a)(k) < guards_at(b)(k) ? low : high) = guards_at(a)(k) < guards_at(b)(k) ? a : b;
      }
      const double when = 0.5 * (low + high);
      if (when < t0 + start_of_part * h || when > t1 - start_of_part * h) continue;
      const double value = guards_at(when)(k);
      const double size = machine.guard_size(modes, r.guards[k], when, x.data(), sizes.nominal);
      if (std::abs(value) <= zero_at_top * size) found.push_back({k, when});
    }
  }
  return found;
}

} // namespace stickslip
