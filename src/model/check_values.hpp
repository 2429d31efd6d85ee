// Checks of numbers, signals and laws in a description.
#pragma once

#include "core/fields.hpp"
#include "friction/automaton.hpp"
#include "friction/law.hpp"
#include "signal/signal.hpp"

#include <string>
#include <type_traits>

namespace stickslip {

// " of 'name'", to be appended to the name of an argument.
inline std::string of(const std::string& name) {
  return " of '" + name + "'";
}

void check_signal(const std::string& name, const Signal& s);

// A wall cannot jump.
void check_continuous(const std::string& name, const Signal& s);

// Options of the stick/slip automaton need a curve that sticks.
void check_law(const Law& law, const Automaton& a, const std::string& suffix);

// Ranges of numbers and signals, from the table of fields.
template <Described T> void check_values(const T& self, const std::string& suffix) {
  each_field(self, [&](const auto& field, const auto& member) {
    using M = std::decay_t<decltype(member)>;
    if constexpr (a_number<M>) {
      check_range(field.name + suffix, member, field.range);
    } else if constexpr (std::is_same_v<M, Signal>) {
      check_signal(field.name + suffix, member);
      if (is_constant(member)) check_range(field.name + suffix, value(member, 0.0), field.range);
    }
  });
}

} // namespace stickslip
