// The events of a run as a table: plain numbers in rows, and the words that many rows share once.
#pragma once

#include "core/list.hpp"
#include "transition/event.hpp"

#include <string>

namespace stickslip {

struct EventRow {
  double time = 0.0;
  std::int64_t instant = 0;
  std::int64_t solutions = -1; // -1: not counted
  double normal_impulse = 0.0, tangential_impulse = 0.0, loss = 0.0, wall_work = 0.0;
  std::int32_t element = 0;
  std::int32_t cause = 0, rule = 0; // numbers among causes and rules
  Mode before = Mode::stick, after = Mode::stick;
  bool ambiguous = false, impact = false;
};

class EventLog {
public:
  List<EventRow> rows;
  List<std::string> causes, rules; // in the order of their first use

  void add(const System& sys, const Event& event);

private:
  // First events with each cause, and with each rule, in words.
  List<Event> told, decided;
  List<List<std::int32_t>> causes_of; // of each element

  std::int32_t cause_of_row(const System& sys, const Event& event);
  std::int32_t rule_of_row(const Event& event);
};

} // namespace stickslip
