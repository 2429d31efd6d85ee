#include "control/controllers.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"

#include <string>
#include <type_traits>

namespace stickslip {

bool Program::operator==(const Program& o) const {
  const bool functions = identity == o.identity || (identity && o.identity && identity->same(*o.identity));
  return functions && references == o.references && measurements == o.measurements && outputs == o.outputs &&
         memory.size() == o.memory.size() && memory == o.memory;
}

namespace {

std::string shape(const Matrix& m) {
  return std::to_string(m.rows()) + " x " + std::to_string(m.cols());
}

void matrix(std::string_view name, const Matrix& m, Index rows, Index cols) {
  if (m.rows() != rows || m.cols() != cols)
    reject(name,
           "is " + shape(m) + ", but it must be " + std::to_string(rows) + " x " + std::to_string(cols));
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      finite(std::string(name) + "[" + std::to_string(i) + ", " + std::to_string(j) + "]", m(i, j));
}

void check_options(const ControlOptions& o) {
  if (std::isnan(o.limits.min)) reject("limits[0]", o.limits.min, "a number or none");
  if (std::isnan(o.limits.max)) reject("limits[1]", o.limits.max, "a number or none");
  if (o.limits.min >= o.limits.max)
    reject("limits[0]", o.limits.min, "less than limits[1] = " + number_text(o.limits.max));
  if (o.tracking_time) positive("tracking_time", *o.tracking_time);
  check_numbers(o);
  if (o.period == 0.0) {
    if (o.delay > 0.0)
      reject("delay", o.delay, "zero for a continuous controller; give a period to sample it");
    if (o.quantum > 0.0)
      reject("quantum", o.quantum, "zero for a continuous controller; give a period to sample it");
    if (o.rate == RateSource::difference)
      reject("rate", "= 'difference' is not allowed for a continuous controller; give a period to sample it");
  }
  const bool clamps = o.anti_windup == AntiWindup::clamping && o.period > 0.0;
  if (o.tracks && o.anti_windup != AntiWindup::back_calculation && !clamps)
    reject("anti_windup", std::string("= '") + word(o.anti_windup) +
                              "' is not allowed with excess=, the tracking of a downstream limit: it must be "
                              "'back_calculation' or, with a period, 'clamping'");
  if (o.delay > o.period) reject("delay", o.delay, "at most one period = " + number_text(o.period));
}

// Back-calculation needs a time constant once there are limits and an integral.
void check_tracking(const ControlOptions& o, bool integral, double kp) {
  const bool limited = o.tracks || std::isfinite(o.limits.min) || std::isfinite(o.limits.max);
  if (limited && integral && o.anti_windup == AntiWindup::back_calculation && !o.tracking_time && kp == 0.0)
    reject("tracking_time", "must be given for back_calculation with kp = 0: its default is kp / ki");
}

void need_integral(const ControlOptions& o, bool integral) {
  if (o.tracks && !integral) reject("excess", "is not allowed for a controller without an integral");
}

void check_law(const P&, const ControlOptions& o) {
  need_integral(o, false);
}

void check_law(const PI& c, const ControlOptions& o) {
  check_tracking(o, false, c.kp);
}

void check_law(const PID& c, const ControlOptions& o) {
  if (c.kp * c.ki < 0.0 && !o.tracking_time && o.anti_windup == AntiWindup::back_calculation)
    reject("tracking_time", "must be given where kp and ki have different signs: its default is kp / ki");
  check_tracking(o, c.ki != 0.0, c.kp);
  need_integral(o, c.ki != 0.0);
}

void check_law(const Cascade&, const ControlOptions&) {}

void check_law(const Linear& c, const ControlOptions& o) {
  need_integral(o, false);
  const Index n = c.A.rows(), inputs = c.D.cols(), outputs = c.D.rows();
  if (outputs < 1 || inputs < 1)
    reject("D", "is " + shape(c.D) + ", but at least one input and one output are needed");
  matrix("A", c.A, n, n);
  matrix("B", c.B, n, inputs);
  matrix("C", c.C, outputs, n);
  matrix("D", c.D, outputs, inputs);
  if (!c.error && (c.references < 0 || c.references > inputs))
    reject("references", static_cast<double>(c.references),
           "a number of columns of B, between 0 and " + std::to_string(inputs));
  if (c.gain.size() > 0) matrix("gain", c.gain, n, outputs);
  if (o.anti_windup == AntiWindup::clamping)
    reject("anti_windup",
           "= 'clamping' is not allowed for a controller given by matrices, whose integral state is "
           "unknown; give a gain for back-calculation");
  if (c.discrete && o.period == 0.0) reject("period", "must be given for discrete matrices");
}

void check_law(const FrictionCurve& c, const ControlOptions& o) {
  validate(c.law);
  need_integral(o, false);
  if (o.period == 0.0) reject("period", "must be given: a friction curve is read at sampling instants");
}

void check_law(const Program& c, const ControlOptions& o) {
  need_integral(o, false);
  if (!c.call) reject("function", "must be callable");
  if (o.period == 0.0) reject("period", "must be given: a function is called at sampling instants");
  if (c.references < 0) reject("references", static_cast<double>(c.references), ">= 0");
  if (c.measurements < 0) reject("measurements", static_cast<double>(c.measurements), ">= 0");
  if (c.outputs < 1) reject("outputs", static_cast<double>(c.outputs), ">= 1");
  for (Index i = 0; i < c.memory.size(); ++i) finite("memory[" + std::to_string(i) + "]", c.memory[i]);
}

} // namespace

void check(const Controller& controller) {
  check_options(controller.options);
  std::visit(
      [&](const auto& law) {
        if constexpr (Described<std::decay_t<decltype(law)>>) check_numbers(law);
        check_law(law, controller.options);
      },
      controller.law);
}

} // namespace stickslip
