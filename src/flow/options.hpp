// Settings of one run, and the one place that checks them.
#pragma once

#include "core/types.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

namespace stickslip {

// time_stepping has a fixed step, max_step, and finds no events: see time_stepping.hpp.
enum class Method { automatic, exact, explicit_pair, stiff, time_stepping };

// What a run leaves behind: everything, events and the end, or the end alone.
enum class Keep { segments, events, nothing };

enum class Status { finished, budget, no_solution, stalled, interrupted };
std::string_view name(Status status);

struct Options {
  double t_end = 0.0;
  double rtol = 1e-8;
  Vector atol; // per state; empty: rtol times the size of each state
  Method method = Method::automatic;
  double max_step = std::numeric_limits<double>::infinity();
  double theta = 0.5; // of time stepping: weight of the end of the step, in [1/2, 1]
  std::int64_t max_events = 10'000'000;
  Keep keep = Keep::segments;
  double max_time = std::numeric_limits<double>::infinity(); // s of wall clock
};

} // namespace stickslip
