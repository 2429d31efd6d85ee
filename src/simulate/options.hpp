// Settings of one run, and the one place that checks them.
#pragma once

#include "core/types.hpp"

#include <cstdint>
#include <limits>

namespace stickslip {

enum class Method { automatic, exact, explicit_pair, stiff };

struct Options {
  double t_end = 0.0;
  double rtol = 1e-8;
  Vector atol;   // per state; empty: rtol times the size of each state
  Method method = Method::automatic;
  double max_step = std::numeric_limits<double>::infinity();
  std::int64_t max_events = 10'000'000;
  double max_time = std::numeric_limits<double>::infinity(); // s of wall clock
};

} // namespace stickslip
