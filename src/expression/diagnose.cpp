#include "expression/diagnose.hpp"

#include "expression/text.hpp"

#include <cmath>

namespace stickslip {

namespace {

List<char> behind(const Tape& tape, Slot slot) {
  Tape alone = tape;
  alone.outputs = {slot};
  return live(alone, nullptr).slots;
}

std::string at_inputs(const Tape& tape, Slot slot, const double* slots) {
  const List<char> needed = behind(tape, slot);
  std::string out;
  for (Index k = 0; k < tape.named(); ++k)
    if (needed[k]) out += (out.empty() ? " at " : ", ") + tape.name(k) + " = " + text_of(slots[k]);
  return out;
}

// sqrt(-1), 1/0, -1**0.5: the operation on its numbers alone
std::string on_numbers(const Instruction& i, const double* slots) {
  Tape one;
  one.constants = {slots[i.a], arity(i.operation) == 2 ? slots[i.b] : 0.0};
  one.code.push_back({i.operation, 0, 1, i.c});
  return text(one, 2);
}

Undefined explained(const Tape& tape, Slot slot, const double* slots) {
  if (slot < tape.inputs.size()) return {slot, "input " + tape.inputs[slot] + " = " + text_of(slots[slot])};
  const Instruction& i = tape.code[slot - tape.first_result()];
  return {slot, text(tape, slot) + " = " + on_numbers(i, slots) + " = " + text_of(slots[slot]) +
                    at_inputs(tape, slot, slots)};
}

} // namespace

std::optional<Undefined> diagnose(const Tape& tape, const Sign* signs, const double* slots) {
  List<Sign> read(tape.conditions.size());
  if (!signs) read_signs(tape, slots, read.data());
  const List<char> matters = live(tape, signs ? signs : read.data()).slots;
  for (Slot s = 0; s < tape.slots(); ++s)
    if (matters[s] && !std::isfinite(slots[s])) return explained(tape, s, slots);
  return {};
}

} // namespace stickslip
