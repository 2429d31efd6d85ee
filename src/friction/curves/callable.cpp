#include "friction/curves/callable.hpp"

#include "core/number_text.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cfloat>
#include <sstream>

namespace stickslip {

namespace {

constexpr double difference =
    1e-6; // step of central differences: balances the errors of rounding and curvature

// Limits are evaluated at the smallest normal number; the values of tanh or a straight line there are no jump.
constexpr double no_jump = 1e-200;

std::string at(const std::string& what, double velocity) {
  std::ostringstream text;
  text.precision(17);
  text << what << " at velocity " << velocity;
  return text.str();
}

double checked(const Callable& c, double v) {
  const double f = (*c.function)(v);
  if (!std::isfinite(f))
    throw CurveError("function returned " + std::string(std::isnan(f) ? "NaN" : "infinity"), v);
  return f;
}

double limit(const Callable& c, int direction) {
  return checked(c, direction * DBL_MIN);
}

} // namespace

CurveError::CurveError(const std::string& what, double at_velocity, std::exception_ptr from)
    : InvalidArgument(at(what, at_velocity)), detail(what), velocity(at_velocity), cause(std::move(from)) {}

CurveError CurveError::with_time(double t) const {
  std::ostringstream text;
  text.precision(17);
  text << detail << " at time " << t << ",";
  return {text.str(), velocity, cause};
}

bool Callable::operator==(const Callable& b) const {
  const bool functions = function == b.function || (function && b.function && function->same(*b.function));
  return functions && static_level == b.static_level && velocity_scale == b.velocity_scale;
}

// On the wrong side of zero the tangent at zero is prolonged: the function itself may jump there.
double call(const Callable& c, double v, int direction) {
  if (direction * v > 0.0) return checked(c, v);
  if (v == 0.0) return limit(c, direction);
  return limit(c, direction) + call_slope(c, 0.0, direction) * v;
}

double call_slope(const Callable& c, double v, int direction) {
  if (direction * v <= 0.0) v = 0.0;
  const double h = difference * std::max(std::abs(v), c.velocity_scale);
  if (std::abs(v) > h) return (checked(c, v + h) - checked(c, v - h)) / (2.0 * h);
  const double from = v == 0.0 ? limit(c, direction) : checked(c, v); // one-sided, second order
  return direction * (4.0 * checked(c, v + direction * h) - 3.0 * from - checked(c, v + 2 * direction * h)) /
         (2.0 * h);
}

void validate(const Callable& c) {
  if (!c.function) reject("function", "must be given");
  positive("velocity_scale", c.velocity_scale);
  const double below = limit(c, -1), above = limit(c, 1);
  const double size =
      std::max({std::abs(checked(c, c.velocity_scale)), std::abs(checked(c, -c.velocity_scale)), no_jump});
  if (!(above >= -tolerance::rounding * size && below <= tolerance::rounding * size))
    reject("function", "must oppose the motion near v = 0: F(0+) = " + number_text(above) +
                           " must be >= 0 and F(0-) = " + number_text(below) + " <= 0");
  if (std::isinf(c.static_level) && c.static_level > 0.0) return;
  non_negative("static", c.static_level);
  if (c.static_level < above || c.static_level < -below)
    reject("static", c.static_level, "at least the limits of the function at v = 0");
}

LawTraits about(const Callable& c) {
  LawTraits t;
  t.break_away = std::isinf(c.static_level) ? Interval{limit(c, -1), limit(c, 1)}
                                            : Interval{-c.static_level, c.static_level};
  t.sticks = t.break_away.hi - t.break_away.lo > no_jump;
  if (!t.sticks)
    t.break_away = {0.5 * (t.break_away.lo + t.break_away.hi), 0.5 * (t.break_away.lo + t.break_away.hi)};
  t.reversal_switches = !t.sticks;
  t.affine = false;
  t.needs_interpreter = true;
  return t;
}

} // namespace stickslip
