#include "run/event_log.hpp"

#include <utility>

namespace stickslip {

void EventLog::add(const System& sys, const Event& e) {
  EventRow row;
  row.time = e.time;
  row.instant = e.instant;
  row.solutions = e.solutions;
  row.normal_impulse = e.normal_impulse, row.tangential_impulse = e.tangential_impulse;
  row.loss = e.loss, row.wall_work = e.wall_work;
  row.element = static_cast<std::int32_t>(e.element);
  row.cause = cause_of_row(sys, e);
  row.rule = rule_of_row(e);
  row.before = e.before, row.after = e.after;
  row.ambiguous = e.ambiguous, row.impact = e.impact;
  rows.push_back(row);
}

// An element has few causes, so a look through them is quick however many elements there are.
std::int32_t EventLog::cause_of_row(const System& sys, const Event& e) {
  const auto element = e.element;
  if (causes_of.size() <= element) causes_of.resize(element + 1);
  for (const std::int32_t k : causes_of[element])
    if (told_alike(told[k], e)) return k;
  told.push_back(e);
  causes.push_back(cause_of(sys, e));
  return causes_of[element].emplace_back(static_cast<std::int32_t>(told.size()) - 1);
}

std::int32_t EventLog::rule_of_row(const Event& e) {
  Index k = 0;
  while (k < decided.size() && !decided_alike(decided[k], e)) ++k;
  if (k == decided.size()) {
    decided.push_back(e);
    rules.push_back(rule_of(e));
  }
  return static_cast<std::int32_t>(k);
}

} // namespace stickslip
