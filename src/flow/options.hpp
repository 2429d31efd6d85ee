// Settings of one run, and the one place that checks them.
#pragma once

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/types.hpp"

#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

namespace stickslip {

// time_stepping has a fixed step, max_step, and finds no events: see time_stepping.hpp.
enum class Method { automatic, exact, explicit_pair, stiff, time_stepping };

// Data that a run keeps: all segments, events and the end, or only the end.
enum class Keep { segments, events, nothing };

// failed: a run of an ensemble that could not begin.
enum class Status { finished, budget, no_solution, stalled, interrupted, failed };
template <> struct Words<Status> {
  static constexpr const char* list[] = {"finished", "budget",      "no_solution",
                                         "stalled",  "interrupted", "failed"};
};

// A setting: its public name, the member and the check of its numbers; its default is that of Options{}.
template <class O, class M> struct Setting {
  const char* name;
  M O::* member;
  double (*check)(std::string_view name, double value) = nullptr;
};

inline double above_zero(std::string_view name, double value) {
  if (!(value > 0.0)) reject(name, value, "> 0");
  return value;
}
inline double at_least_zero(std::string_view name, double value) {
  if (!(value >= 0.0)) reject(name, value, ">= 0");
  return value;
}
inline double zero_to_one(std::string_view name, double value) {
  if (!(value >= 0.0 && value < 1.0)) reject(name, value, "in [0, 1)");
  return value;
}
inline double half_to_one(std::string_view name, double value) {
  if (!(value >= 0.5 && value <= 1.0)) reject(name, value, "in [0.5, 1]");
  return value;
}

struct Options {
  double t_end = 0.0;
  double rtol = 1e-8;
  Vector atol; // per state; empty: rtol times the size of each state
  Method method = Method::automatic;
  double max_step = std::numeric_limits<double>::infinity();
  double rebound_threshold = 1e-9; // share of the greatest speed a contact has seen
  double theta = 0.5;              // of time stepping: weight of the end of the step
  std::int64_t max_events = 10'000'000;
  double max_time = std::numeric_limits<double>::infinity(); // s of wall clock
  Keep keep = Keep::segments;

  // Constructor, checks and text are made from this table.
  static constexpr auto settings() {
    using O = Options;
    return std::tuple{Setting{"t_end", &O::t_end, &finite},
                      Setting{"rtol", &O::rtol, &positive},
                      Setting{"atol", &O::atol, &above_zero},
                      Setting{"method", &O::method},
                      Setting{"max_step", &O::max_step, &above_zero},
                      Setting{"rebound_threshold", &O::rebound_threshold, &zero_to_one},
                      Setting{"theta", &O::theta, &half_to_one},
                      Setting{"max_events", &O::max_events, &at_least_zero},
                      Setting{"max_time", &O::max_time, &above_zero},
                      Setting{"keep", &O::keep}};
  }
};

// f(setting, value) for every setting.
template <class O, class F> void each_setting(O& options, F&& f) {
  std::apply([&](const auto&... setting) { (f(setting, options.*setting.member), ...); },
             Options::settings());
}

// Throws InvalidArgument for an option that is not allowed.
void check(const Options& options);

} // namespace stickslip
