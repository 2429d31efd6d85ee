// Which rule chose the modes after an instant (design notes, "Transitions, exactly").
#pragma once

#include <cstdint>

namespace stickslip {

enum class Rule : std::int8_t {
  unique,            // one admissible answer
  static_to_kinetic, // the same, with an element that left rest
  present_mode,      // several, of which the present modes
  fewest_changes,    // several, of which the one with fewest changed components
  least_constraint,  // still several, of which the one with the least Gauss constraint
  ambiguous,         // tied after all rules: an answer was taken, but physics does not say which
  accumulation,      // slips too short and slow to follow: it rests (see memory.cpp)
  none,              // no admissible answer
};
const char* name(Rule rule);

} // namespace stickslip
