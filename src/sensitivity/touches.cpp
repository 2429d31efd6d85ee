#include "sensitivity/touches.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double touch_reach = 0.7;    // of the fastest thing in a motion: guards are nearly parabolas there
constexpr double parabola_error = 0.2; // relative to the greatest value: error of the parabolas
constexpr double zero_at_top = 1e-10;  // of a guard's size
constexpr double start_of_part = 1e-3; // there a guard may stand at zero, from which it goes down
constexpr int golden_rounds = 40, newton_rounds = 3;
constexpr double slope_step = 1e-2; // of a part

// Position and value of the maximum of the parabola through three values at 0, 1/2, 1; a position below 0 if there is none.
std::pair<double, double> top_of(double a, double m, double b) {
  const double bend = 2.0 * (a - 2.0 * m + b), slope = 4.0 * m - 3.0 * a - b;
  if (!(bend < 0.0)) return {-1.0, 0.0};
  const double at = -slope / (2.0 * bend);
  return {at, a + 0.5 * slope * at};
}

bool may_touch(double a, double m, double b) {
  const auto [at, top] = top_of(a, m, b);
  return at > 0.0 && at <= 1.0 && top >= -parabola_error * std::max({std::abs(a), std::abs(m), std::abs(b)});
}

// Position of the maximum of a unimodal function over [low, high] (golden section).
template <class Value> double highest(Value&& value, double low, double high) {
  for (int i = 0; i < golden_rounds; ++i) {
    const double a = low + 0.381966 * (high - low), b = high - 0.381966 * (high - low);
    (value(a) < value(b) ? low : high) = value(a) < value(b) ? a : b;
  }
  return 0.5 * (low + high);
}

// The same to machine precision: where the slope is zero, by Newton's method. Values alone are flat at the maximum.
template <class Value> double top_near(Value&& value, double t, double h) {
  const Stencil& central = central_stencil();
  const double step = slope_step * h;
  const auto slope = [&](double at) {
    double sum = 0.0;
    for (Index i = 0; i < central.offsets.size(); ++i)
      sum += central.weights[i] * value(at + central.offsets[i] * step);
    return sum;
  };
  for (int i = 0; i < newton_rounds; ++i) {
    const double here = slope(t), bend = (slope(t + step) - slope(t - step)) / (2.0 * step);
    if (!(bend < 0.0)) break;
    t -= std::clamp(here / bend, -step, step);
  }
  return t;
}

} // namespace

const List<Touches::Touch>& Touches::between(const Trajectory& run, const Segment& segment, double t0,
                                             double t1, const State& sizes) {
  found.clear();
  const Modes& modes = segment.regime->modes;
  const Regime& r = machine.regime(modes);
  if (r.guards.empty() || !(t1 > t0)) return found;
  const double parts =
      r.affine ? std::max(1.0, std::ceil(exact.pace_of(slopes(r), t0) * (t1 - t0) / touch_reach)) : 1.0;
  const double h = (t1 - t0) / parts;
  const auto look = [&](Index k, double from, auto&& value) {
    double when = highest(value, from, from + h);
    if (when < t0 + start_of_part * h || when > t1 - start_of_part * h) return;
    when = std::clamp(top_near(value, when, h), t0, t1);
    Vector x(machine.system().nx);
    run.state_at(segment, when, x.data());
    const double size = machine.guard_size(modes, r.guards[k], when, x.data(), sizes.nominal);
    // One that has not left zero at the start of the segment does not come to it.
    const bool comes = std::abs(value(t0)) > zero_at_top * size;
    if (comes && std::abs(value(when)) <= zero_at_top * size) found.push_back({k, when});
  };
  if (r.affine && segment.kind == FlowKind::exact && t0 == segment.t0) {
    const ExactTangent::Series& series = exact.expand(slopes(r), run, segment, t0, t1 - t0);
    const Index columns = std::max(series.columns, series.guide_degree + 1);
    for (Index k = 0; k < r.guards.size(); ++k) {
      if (!may_rise(r, k, series, columns)) continue;
      const auto value = [&](double t) {
        return polynomial::value(guard_series.data(), columns - 1, (t - t0) / (t1 - t0));
      };
      double first = value(t0);
      for (double part = 0.0; part < parts; ++part) {
        const double t = t0 + part * h, middle = value(t + 0.5 * h), last = value(t + h);
        if (may_touch(first, middle, last)) look(k, t, value);
        first = last;
      }
    }
    return found;
  }
  Vector first = guards_at(run, segment, t0, t0), middle, last;
  for (double part = 0.0; part < parts; ++part, first = last) {
    const double t = t0 + part * h;
    middle = guards_at(run, segment, t0, t + 0.5 * h), last = guards_at(run, segment, t0, t + h);
    for (Index k = 0; k < r.guards.size(); ++k)
      if (may_touch(first(k), middle(k), last(k)))
        look(k, t, [&](double at) { return guards_at(run, segment, t0, at)(k); });
  }
  return found;
}

Vector Touches::guards_at(const Trajectory& run, const Segment& segment, double frame, double t) {
  Vector x(machine.system().nx);
  run.state_at(segment, t, x.data());
  return machine.guards(segment.regime->modes, frame, t, x.data());
}

// Makes the series of a guard. False where its terms alone say that it stays below zero.
bool Touches::may_rise(const Regime& r, Index k, const ExactTangent::Series& series, Index columns) {
  guard_series.setZero(columns);
  double size = 0.0;
  const auto add = [&](double weight, auto&& terms) {
    if (weight == 0.0) return;
    for (Index i = 0; i < terms.size(); ++i) {
      guard_series(i) += weight * terms(i);
      size += std::abs(weight * terms(i));
    }
  };
  for (Index i = 0; i < r.Gx.cols(); ++i) add(r.Gx(k, i), series.x.row(i).head(series.columns));
  for (Index i = 0; i < r.Gs.cols(); ++i) add(r.Gs(k, i), series.s.row(i).head(series.guide_degree + 1));
  double most = guard_series(0);
  for (Index i = 1; i < columns; ++i) most += std::max(guard_series(i), 0.0);
  return most > -zero_at_top * size;
}

} // namespace stickslip
