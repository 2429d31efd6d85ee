#include "flow/law_features.hpp"

#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip {

namespace {

constexpr double least_error = 1e-16; // of a velocity, relative to its size: no digit of it

} // namespace

LawFeatures::LawFeatures(const System& system, const Options& given, StepSignals& of)
    : sys(system), options(given), signals(of), soon(Vector::Zero(system.nx)) {}

// Elements that have just begun to slide on a falling curve. Their velocity grows from zero and keeps its relative
// error: an error that is small compared with the size of the state would shift the whole slip in time (with a vertical
// tangent at v = 0 by as much as the length of the first step). Signals have their values at the start of the step.
bool LawFeatures::find_departing(const Regime& r, const State& state, const Vector& rate) {
  departing.clear();
  bool out_of_rest = false;
  if (options.atol.size() > 0) return false;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const FrictionMode& now = r.modes.friction[i];
    if (!p.traits.sticks || p.traits.affine || now.free || now.sticks()) continue;
    const double v = relative_velocity(p, state.base_x.data(), signals.now.data());
    const double size = velocity_size(p, state.nominal);
    if (std::abs(v) > tolerance::close_to_rest * size) continue;
    double a = p.velocity.x.dot(rate);
    for (Index k = 0; k < signals.varying.size(); ++k)
      a += p.velocity.s(signals.varying[k]) * signals.rate(k, state.base_t);
    const bool rests = std::abs(v) < tolerance::rank * size; // the sign of a is then one of rounding
    if (!rests && a * now.direction() < 0.0) continue;
    departing.push_back(i);
    out_of_rest = out_of_rest || rests;
  }
  return out_of_rest;
}

double LawFeatures::departing_error(const State& state, double h, const Vector& x1, const Vector& error) {
  if (departing.empty()) return 0.0;
  signals.move_to(state.base_t + h);
  double worst = 0.0;
  for (Index i : departing) {
    const Friction& p = sys.friction[i];
    const double v = std::abs(relative_velocity(p, x1.data(), signals.now.data()));
    const double size = velocity_size(p, state.nominal);
    const double e = std::abs(p.velocity.x.dot(error)) /
                     (options.rtol * std::max(v, tolerance::product * size) + least_error * size);
    worst = std::max(worst, e);
  }
  return worst;
}

bool LawFeatures::shorten(const Regime& r, const State& state, const Vector& rate, const Vector& x1,
                          double& h) {
  double part = part_to_peak(r, state, x1);
  if (part == 1.0) part = part_to_corner(r, state, rate, x1, h);
  if (part == 1.0) part = part_to_bend(r, state, rate, x1, h);
  h *= part;
  return part != 1.0;
}

// Far from v = 0 a Stribeck curve is flat to the last bit, and a long step towards zero would jump its peak
// without any sign of it in the error estimate. So no step may reduce a sliding velocity more than eightfold
// above the curve's finest structure.
double LawFeatures::part_to_peak(const Regime& r, const State& state, const Vector& x1) const {
  double part = 1.0;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const int mode = r.modes.friction[i].direction();
    if (p.fine == 0.0 || mode == 0) continue;
    double v0 = mode * relative_velocity(p, state.base_x.data(), signals.start.data());
    double v1 = mode * relative_velocity(p, x1.data(), signals.now.data());
    if (p.delayed >= 0) v0 = std::abs(state.base_x(p.delayed)), v1 = std::abs(x1(p.delayed));
    if (v0 > p.fine && v1 < 0.125 * v0) part = std::min(part, 0.85 * v0 / (v0 - v1));
  }
  return part;
}

namespace {

// A velocity during a step as a cubic through its values and rates at both ends (rates times the step).
struct VelocityCourse {
  double v0, v1;
  std::array<double, 4> cubic;
  Extremes extremes;

  VelocityCourse(double from, double to, double rise, double last_rise)
      : v0(from), v1(to),
        cubic{from, rise, 3.0 * (to - from) - 2.0 * rise - last_rise, rise + last_rise - 2.0 * (to - from)},
        extremes(stickslip::extremes(cubic.data(), 3)) {}

  // The part of the step up to where it passes c; where it turns near c, as above a belt that swings, up to the turn, for
  // it hides the corner.
  double part_to(double c, double near) const {
    constexpr double unsure = 0.25; // of the way to a turn, as a cubic shows it
    double part = 1.0;
    const auto between = [c, near](double a, double b) {
      return std::min(a, b) < c - near && std::max(a, b) > c + near;
    };
    const auto hidden = [&](double turn, double at, double end) {
      return at > 0.0 && at < 1.0 && (between(end, turn + unsure * (turn - end)) || between(turn, v1));
    };
    if (between(v0, v1))
      part = std::min(
          part, refine_root([this, c](double theta) { return polynomial::value(cubic.data(), 3, theta) - c; },
                            0.0, 1.0));
    if (hidden(extremes.maximum, extremes.at_maximum, std::max(v0, v1)))
      part = std::min(part, extremes.at_maximum);
    if (hidden(extremes.minimum, extremes.at_minimum, std::min(v0, v1)))
      part = std::min(part, extremes.at_minimum);
    return part;
  }
};

} // namespace

// At a corner of a table the slope changes, which the error estimate of a step across the corner does not show: steps
// end there.
double LawFeatures::part_to_corner(const Regime& r, const State& state, const Vector& rate, const Vector& x1,
                                   double h) {
  double part = 1.0;
  bool at_end = false; // the signals
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    if (p.corners.empty()) continue;
    if (!at_end) signals.move_to(state.base_t + h), at_end = true;
    double v0 = relative_velocity(p, state.base_x.data(), signals.start.data());
    double v1 = relative_velocity(p, x1.data(), signals.now.data());
    double rise = h * p.velocity.x.dot(rate), last_rise = 2.0 * p.velocity.x.dot(x1 - state.base_x) - rise;
    for (Index k = 0; k < signals.varying.size(); ++k) {
      const double by = h * p.velocity.s(signals.varying[k]);
      rise += by * signals.rate(k, state.base_t);
      last_rise += by * signals.rate(k, state.base_t + h);
    }
    if (p.delayed >= 0) {
      v0 = state.base_x(p.delayed), v1 = x1(p.delayed);
      rise = h * rate(p.delayed), last_rise = 2.0 * (v1 - v0) - rise;
    }
    const VelocityCourse course(v0, v1, rise, last_rise);
    const double near = tolerance::at_corner * options.rtol * velocity_size(p, state.nominal);
    for (const double c : p.corners) part = std::min(part, course.part_to(c, near));
  }
  return part;
}

// At a jump of the slope of a bristle's rate the error estimate of a step that begins nearby does not show the error of
// the stages behind the jump: steps end there.
double LawFeatures::part_to_bend(const Regime& r, const State& state, const Vector& rate, const Vector& x1,
                                 double h) {
  double part = 1.0;
  std::array<double, max_elements> begin, then, end;
  for (Index i : r.sliding) {
    const Friction& p = sys.friction[i];
    const int mode = r.modes.friction[i].direction();
    if (p.traits.bends == 0 || mode == 0) continue;
    const auto bends_at = [&](const Vector& x, const Vector& values, auto& out) {
      const double N = normal_load(p, r.modes.friction[i].load_stretch, x.data(), values.data());
      bends(p.law, relative_velocity(p, x.data(), values.data()), mode, x.data() + p.states, N, out.data());
    };
    signals.move_to(state.base_t + h);
    bends_at(state.base_x, signals.start, begin), bends_at(x1, signals.now, end);
    const double near =
        tolerance::at_corner * options.rtol * std::max(p.traits.break_away.hi, -p.traits.break_away.lo);
    for (Index k = 0; k < p.traits.bends; ++k) {
      if (!(std::min(begin[k], end[k]) < -near && std::max(begin[k], end[k]) > near)) continue;
      soon = state.base_x + tolerance::sliver * h * rate;
      signals.move_to(state.base_t + tolerance::sliver * h);
      bends_at(soon, signals.now, then);
      const double rise = (then[k] - begin[k]) / tolerance::sliver;
      const std::array<double, 3> way = {begin[k], rise, end[k] - begin[k] - rise};
      part =
          std::min(part, refine_root([&way](double theta) { return polynomial::value(way.data(), 2, theta); },
                                     0.0, 1.0));
    }
  }
  return part;
}

} // namespace stickslip
