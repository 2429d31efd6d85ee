#include "expression/tape.hpp"

#include "core/error.hpp"

#include <cstdlib>
#include <functional>
#include <limits>
#include <set>

namespace stickslip {

namespace {

[[noreturn]] void damaged(const std::string& where, const std::string& what) {
  reject("tape", "is invalid: " + where + " " + what);
}

void check_slot(const std::string& where, Slot slot, Index known) {
  if (slot < 0 || slot >= known)
    damaged(where, "reads slot " + std::to_string(slot) + " of " + std::to_string(known));
}

void check(const Tape& tape, Index number) {
  const Instruction& i = tape.code[number];
  const std::string where = "instruction " + std::to_string(number);
  const Index known = tape.first_result() + number;
  if (static_cast<Index>(i.operation) >= std::ssize(Words<Operation>::list))
    damaged(where, "is no known operation");
  check_slot(where, i.a, known);
  check_slot(where, i.b, known); // also where it is not used, and 0
  if (i.operation == Operation::integer_power && std::abs(std::int64_t{i.c}) > largest_exponent)
    damaged(where, "has an exponent that is too large");
  if (!is_select(i.operation)) return;
  if (i.c < 0 || i.c >= tape.conditions.size()) damaged(where, "has a condition that does not exist");
  check_slot(where, tape.conditions[i.c], known);
}

} // namespace

void check(const Tape& tape) {
  if (tape.slots() > std::numeric_limits<Slot>::max()) damaged("it", "is too long");
  if (tape.parameters.size() > tape.constants.size()) damaged("a parameter", "has no value");
  std::set<std::string> names;
  for (Index k = 0; k < tape.named(); ++k) {
    const std::string kind = k < tape.inputs.size() ? "input" : "parameter", &name = tape.name(k);
    if (name.empty()) damaged("an " + kind, "has no name");
    if (!names.insert(name).second) damaged(kind + " '" + name + "'", "occurs twice");
  }
  for (Index k = 0; k < tape.constants.size(); ++k)
    finite("constants[" + std::to_string(k) + "]", tape.constants[k]);
  for (Index k = 0; k < tape.code.size(); ++k) check(tape, k);
  for (const Slot s : tape.conditions) check_slot("a condition", s, tape.slots());
  for (const Slot s : tape.outputs) check_slot("an output", s, tape.slots());
}

std::size_t hash_of(const Tape& tape) {
  std::size_t h = 0;
  const auto mix = [&](std::size_t x) { h = (h ^ x) * 1099511628211ULL + (h >> 29U); };
  for (Index k = 0; k < tape.named(); ++k) mix(std::hash<std::string>()(tape.name(k)));
  for (const double c : tape.constants) mix(std::hash<double>()(c));
  for (const Instruction& i : tape.code) {
    mix(static_cast<std::size_t>(i.operation));
    mix(static_cast<std::size_t>(i.a)), mix(static_cast<std::size_t>(i.b)),
        mix(static_cast<std::size_t>(i.c));
  }
  for (const Slot s : tape.outputs) mix(static_cast<std::size_t>(s));
  return h;
}

} // namespace stickslip
