#include "core/budget.hpp"

namespace stickslip {

thread_local Budget* Budget::current = nullptr;

Budget::Budget(const Stop& asks, double limit)
    : stop(asks), max_time(limit), begun(Clock::now()), asked(begun), outer(current) {
  current = this;
}

Budget::~Budget() {
  current = outer;
}

void Budget::look() {
  work = 0;
  const auto now = Clock::now();
  if (now - asked <= asks_every) return;
  asked = now;
  if (stop && stop()) throw BudgetExhausted{true};
  if (std::chrono::duration<double>(now - begun).count() > max_time) throw BudgetExhausted{false};
}

} // namespace stickslip
