// Wall-clock limit and stop request of a run. Long loops, wherever they are, report the work that they do to the budget
// of their thread; nothing has to be passed to them.
#pragma once

#include "core/types.hpp"

#include <chrono>
#include <functional>

namespace stickslip {

// Returns true where the caller wants the run to stop. Asked about every 20 ms of computing.
using Stop = std::function<bool()>;

// Thrown out of the loop that noticed the end of the budget. Not a std::exception: nothing on the way may take it for an
// error.
struct BudgetExhausted {
  bool stopped; // on request; else the time is over
};

// Holds in its thread from construction to the end of its life. `stop` is kept by reference.
class Budget {
public:
  Budget(const Stop& stop, double max_time);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Work in operations of about a nanosecond. Throws BudgetExhausted.
  static void spend(Index operations) {
    if (Budget* const budget = current; budget != nullptr && (budget->work += operations) > between_looks)
      budget->look();
  }
  // The work of a factorisation of order n, or of a product of two matrices.
  static void spend_cube(Index n) { spend(n * n * n); }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr Index between_looks = 200'000; // operations, 0.2 ms: a look at the clock takes 30 ns
  static constexpr auto asks_every = std::chrono::milliseconds(20);
  static thread_local Budget* current;

  const Stop& stop;
  double max_time; // s
  Index work = 0;
  Clock::time_point begun, asked;
  Budget* outer; // of the run within which this one is made

  void look();
};

} // namespace stickslip
