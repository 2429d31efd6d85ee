// When a run is given up: whoever asked for it stops it, or its time is used up.
#pragma once

#include "flow/options.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

namespace stickslip {

// Asked every few milliseconds of computing whether to give up.
using Stop = std::function<bool()>;

struct Ending {
  Status status;
  const char* message;
};

class Patience {
public:
  // `stop` is kept by reference.
  void begin(const Stop& asks, double max_time) {
    stop = &asks;
    most = max_time;
    limited = asks || std::isfinite(max_time);
    if (limited) begun = asked = Clock::now();
  }

  // After so many steps: how the run ends here, or nothing.
  std::optional<Ending> used_up(std::int64_t steps) {
    if (steps % looks_at_the_clock != 0 || !limited) return std::nullopt;
    const auto now = Clock::now();
    if (now - asked <= asks_every) return std::nullopt;
    asked = now;
    if (*stop && (*stop)()) return Ending{Status::interrupted, "interrupted"};
    if (std::chrono::duration<double>(now - begun).count() > most)
      return Ending{Status::budget, "max_time is used up"};
    return std::nullopt;
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto asks_every = std::chrono::milliseconds(20);
  static constexpr std::int64_t looks_at_the_clock = 16; // steps

  const Stop* stop = nullptr;
  double most = 0.0;
  bool limited = false;
  Clock::time_point begun, asked;
};

} // namespace stickslip
