// Ending of a run whose budget is exhausted.
#pragma once

#include "core/budget.hpp"
#include "flow/options.hpp"

#include <cstdint>
#include <sstream>
#include <string>

namespace stickslip {

struct Ending {
  Status status;
  std::string message;
};

inline std::string exhausted_events(const Options& options, double t) {
  std::ostringstream text;
  text << "max_events: the limit of " << options.max_events << " events was reached at t = " << t << " s of "
       << options.t_end << " s";
  return text.str();
}

inline Ending ending_of(const BudgetExhausted& how, const Options& options, double t, std::int64_t events) {
  if (how.stopped) return {Status::interrupted, "interrupted"};
  std::ostringstream text;
  text << "max_time: the limit of " << options.max_time << " s was reached at t = " << t << " s of "
       << options.t_end << " s, after " << events << " events";
  return {Status::budget, text.str()};
}

} // namespace stickslip
