// The shapes a user can write, compiled to pieces. Each checks its arguments by name.
#pragma once

#include "core/types.hpp"
#include "signal/signal.hpp"

#include <optional>
#include <string_view>

namespace stickslip {

// offset until start, then offset + slope (t - start), constant again from stop on.
Signal ramp_signal(double slope, double start, double offset, std::optional<double> stop);
Signal step_signal(double value, double start, double before);
// offset + amplitude sin(2 pi f (t - start) + phase); with a start, held at its first value before it.
Signal sine_signal(double amplitude, double frequency, double phase, double offset,
                   std::optional<double> start);
// From `before` to `value` over `duration` by 10 s^3 - 15 s^4 + 6 s^5: velocity and acceleration zero at both
// ends.
Signal smooth_step_signal(double value, double start, double duration, double before);
Signal input_signal(std::string_view name, double default_value);

// Straight lines through the points; a time given twice is a jump. The end values are held outside.
Signal piecewise_signal(const VectorRef& times, const VectorRef& values);
enum class Interpolation { linear, cubic, hold };
Signal samples_signal(const VectorRef& times, const VectorRef& values, Interpolation kind);

// The fastest move from rest to rest within the limits. `jerk` none: acceleration may jump (second order).
struct Move {
  double distance = 0.0; // either sign
  double velocity = 0.0, acceleration = 0.0;
  std::optional<double> jerk;
  double start = 0.0, offset = 0.0;
};
// Durations of one half: build-up of acceleration, constant acceleration, and of the cruise between the
// halves.
struct MovePlan {
  double build = 0.0, hold = 0.0, cruise = 0.0;
  double velocity = 0.0, acceleration = 0.0; // reached

  double half() const { return 2.0 * build + hold; }
  double duration() const { return 2.0 * half() + cruise; }
};
MovePlan plan(const Move& move);
Signal move_signal(const Move& move);

} // namespace stickslip
