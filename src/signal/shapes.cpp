#include "signal/shapes.hpp"

#include "core/error.hpp"
#include "core/number_text.hpp"

#include <numbers>

namespace stickslip {

namespace {

Piece piece(double start, double anchor, Polynomial c) {
  Piece p;
  p.start = start;
  p.anchor = anchor;
  p.c = c;
  return p;
}

} // namespace

Signal ramp_signal(double slope, double start, double offset, std::optional<double> stop) {
  finite("slope", slope);
  finite("start", start);
  finite("offset", offset);
  Signal s = constant_signal(offset);
  s.pieces.push_back(piece(start, start, {offset, slope}));
  if (stop) {
    finite("stop", *stop);
    if (*stop < start) reject("stop", *stop, "no earlier than start = " + number_text(start));
    s.pieces.push_back(piece(*stop, 0.0, {offset + slope * (*stop - start)}));
    if (*stop == start) s.pieces.erase(s.pieces.begin() + 1);
  }
  normalise(s);
  return s;
}

Signal step_signal(double value, double start, double before) {
  finite("value", value);
  finite("start", start);
  Signal s = constant_signal(finite("before", before));
  s.pieces.push_back(piece(start, 0.0, {value}));
  normalise(s);
  return s;
}

Signal sine_signal(double amplitude, double frequency, double phase, double offset,
                   std::optional<double> start) {
  finite("amplitude", amplitude);
  non_negative("frequency", frequency);
  finite("phase", phase);
  finite("offset", offset);
  const double omega = 2.0 * std::numbers::pi * frequency;
  const double begin = start ? finite("start", *start) : 0.0;
  const double first = offset + amplitude * std::sin(phase);
  if (frequency == 0.0) return constant_signal(first);
  Signal s = constant_signal(start ? first : offset);
  if (start) s.pieces.push_back(piece(begin, 0.0, {offset}));
  s.pieces.back().harmonics.push_back({amplitude, omega, phase - omega * begin});
  normalise(s);
  return s;
}

Signal smooth_step_signal(double value, double start, double duration, double before) {
  finite("value", value);
  finite("start", start);
  positive("duration", duration);
  Signal s = constant_signal(finite("before", before));
  const double h3 = (value - before) / (duration * duration * duration);
  const double h4 = h3 / duration, h5 = h4 / duration;
  s.pieces.push_back(piece(start, start, {before, 0.0, 0.0, 10.0 * h3, -15.0 * h4, 6.0 * h5}));
  s.pieces.push_back(piece(start + duration, 0.0, {value}));
  normalise(s);
  return s;
}

Signal input_signal(std::string_view name, double default_value) {
  if (name.empty()) reject("name", "is empty: an input needs a name");
  Signal s = constant_signal(finite("default", default_value));
  s.input = name;
  s.input_default = default_value;
  return s;
}

} // namespace stickslip
