// Controllers as a user describes them: plain values. `compile` in block.hpp turns each into the engine's one form. r
// is the reference, y the measured value, e = r - y, u the output. Laws are written in continuous time; with a period
// they run at its multiples and hold their output in between.
#pragma once

#include "control/program.hpp"
#include "core/fields.hpp"
#include "friction/law.hpp"

#include <limits>
#include <optional>
#include <variant>

namespace stickslip {

enum class AntiWindup {
  none,
  back_calculation, // the integral relaxes by (limited u - raw u) / tracking_time
  clamping          // the integral goes outwards only as far as the limit of the output allows
};
template <> struct Words<AntiWindup> {
  static constexpr const char* list[] = {"none", "back_calculation", "clamping"};
};

// Source of velocities: a sensor, or the difference quotient of sampled positions.
enum class RateSource { measured, difference };
template <> struct Words<RateSource> {
  static constexpr const char* list[] = {"measured", "difference"};
};

struct Limits {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();

  static constexpr auto fields() {
    return std::tuple{field("min", &Limits::min), field("max", &Limits::max)};
  }
};

// Options common to all controllers.
struct ControlOptions {
  Limits limits;
  AntiWindup anti_windup = AntiWindup::back_calculation;
  std::optional<double> tracking_time; // s; none: kp / ki
  double period = 0.0;                 // s; 0: continuous
  double delay = 0.0;                  // s from sampling to output, at most one period
  double quantum = 0.0;                // step of the measuring scale, in units of y; 0: none
  RateSource rate = RateSource::measured;
  bool tracks = false; // a second reference holds by how much a limit further on changes the output

  static constexpr auto fields() {
    using C = ControlOptions;
    return std::tuple{field("limits", &C::limits),
                      field("anti_windup", &C::anti_windup),
                      field("tracking_time", &C::tracking_time, quantity::time, Range::positive),
                      field("period", &C::period, quantity::time, Range::non_negative),
                      field("delay", &C::delay, quantity::time, Range::non_negative),
                      field("quantum", &C::quantum, quantity::number, Range::non_negative),
                      field("rate", &C::rate),
                      field("tracks", &C::tracks)};
  }
};

// Controlled quantity: the measured signal or its rate (a velocity loop on a position encoder).
enum class Controlled { value, rate };
template <> struct Words<Controlled> {
  static constexpr const char* list[] = {"value", "rate"};
};

// u = kp e + feedforward r'
struct P {
  double kp = 0.0, feedforward = 0.0;
  Controlled controls = Controlled::value;

  static constexpr auto fields() {
    return std::tuple{field("kp", &P::kp, {}, Range::finite),
                      field("feedforward", &P::feedforward, {}, Range::finite),
                      field("controls", &P::controls)};
  }
};

// u = kp (e + (1/tn) integral of e) + feedforward r'
struct PI {
  double kp = 0.0, tn = 1.0, feedforward = 0.0;
  Controlled controls = Controlled::value;

  static constexpr auto fields() {
    return std::tuple{
        field("kp", &PI::kp, {}, Range::finite), field("tn", &PI::tn, quantity::time, Range::positive),
        field("feedforward", &PI::feedforward, {}, Range::finite), field("controls", &PI::controls)};
  }
};

enum class DerivativeOf { measurement, error };
template <> struct Words<DerivativeOf> {
  static constexpr const char* list[] = {"measurement", "error"};
};

// u = kp e + ki integral of e + kd d, with tf d' + d = -y' or e'
struct PID {
  double kp = 0.0, ki = 0.0, kd = 0.0, tf = 0.0;
  DerivativeOf derivative_of = DerivativeOf::measurement;

  static constexpr auto fields() {
    return std::tuple{field("kp", &PID::kp, {}, Range::finite), field("ki", &PID::ki, {}, Range::finite),
                      field("kd", &PID::kd, {}, Range::finite),
                      field("tf", &PID::tf, quantity::time, Range::non_negative),
                      field("derivative_of", &PID::derivative_of)};
  }
};

// Position loop around a velocity loop (servo, section 4): v_ref = kv (r - x) + velocity_feedforward r',
// u = kp (e + (1/tn) integral of e) + force_feedforward r'', e = v_ref - v_M. Measurement 0 is the position
// of the chosen side, measurement 1 that of the motor, of which only the rate is read.
enum class Side { motor, load };
template <> struct Words<Side> {
  static constexpr const char* list[] = {"motor", "load"};
};

struct Cascade {
  double kv = 0.0, kp = 0.0, tn = 1.0;
  Side position = Side::motor;
  double velocity_feedforward = 0.0, force_feedforward = 0.0;

  static constexpr auto fields() {
    using C = Cascade;
    return std::tuple{field("kv", &C::kv, quantity::rate, Range::finite),
                      field("kp", &C::kp, quantity::damping, Range::finite),
                      field("tn", &C::tn, quantity::time, Range::positive),
                      field("position", &C::position),
                      field("velocity_feedforward", &C::velocity_feedforward, {}, Range::finite),
                      field("force_feedforward", &C::force_feedforward, quantity::mass, Range::finite)};
  }
};

// z' = A z + B w, u = C z + D w. The first `references` columns of B and D read references, the others
// measurements; with `error` all columns read r - y. `discrete`: z+ = A z + B w instead.
struct Linear {
  Matrix A, B, C, D;
  bool error = true;
  Index references = 0;
  Matrix gain; // anti-windup: gain * (limited u - raw u) is added to z' (discrete: to z+); empty: none
  bool discrete = false;

  static constexpr auto fields() {
    using L = Linear;
    return std::tuple{field("A", &L::A),         field("B", &L::B),
                      field("C", &L::C),         field("D", &L::D),
                      field("error", &L::error), field("references", &L::references),
                      field("gain", &L::gain),   field("discrete", &L::discrete)};
  }
};

// u = force of a friction curve at v = r', or at v = r: the expected friction force. Sampled only, so that it is
// constant between samples and the flow keeps its kind.
struct FrictionCurve {
  Law law;
  double normal_load = 1.0;
  Controlled controls = Controlled::rate;

  static constexpr auto fields() {
    using F = FrictionCurve;
    return std::tuple{field("law", &F::law),
                      field("normal_load", &F::normal_load, quantity::force, Range::non_negative),
                      field("controls", &F::controls)};
  }
};

using ControlLaw = std::variant<P, PI, PID, Cascade, Linear, Program, FrictionCurve>;
template <> struct Kind<ControlLaw> {
  static constexpr const char* list[] = {"P", "PI", "PID", "Cascade", "LTI", "Callable", "FrictionCurve"};
};

struct Controller {
  ControlLaw law;
  ControlOptions options;

  static constexpr auto fields() {
    return std::tuple{field("law", &Controller::law), field("options", &Controller::options)};
  }
};

// Throws an error that names the argument.
void check(const Controller& controller);

} // namespace stickslip
