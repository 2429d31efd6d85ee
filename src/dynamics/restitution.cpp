#include "dynamics/restitution.hpp"

#include "expression/evaluate.hpp"
#include "model/machine.hpp"

#include <algorithm>
#include <array>

namespace stickslip {

double restitution(const Contact& c, double rate) {
  const Tape& tape = c.restitution_by_speed;
  if (tape.outputs.empty()) return c.restitution;
  std::array<double, longest_restitution> slots{}; // no allocation: real time takes it too
  prepare(tape, slots.data());
  if (!tape.inputs.empty()) slots[0] = std::max(-rate, 0.0);
  evaluate(tape, slots.data());
  return slots[static_cast<std::size_t>(tape.outputs.front())];
}

} // namespace stickslip
