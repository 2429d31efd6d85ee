// Expressions as a list of elementary operations with several results, without names of types, pointers or Python: a
// value that can be compared, saved and run. Values stand in slots, first the inputs, then the constants, then one for
// each instruction; each reads earlier slots only. A `Graph` makes tapes.
#pragma once

#include "core/fields.hpp"
#include "core/list.hpp"
#include "expression/operation.hpp"

#include <cstdint>
#include <string>

namespace stickslip {

using Slot = std::int32_t;

inline constexpr int largest_exponent = 1024; // of an integer power; beyond, a real one

struct Instruction {
  Operation operation = Operation::add;
  Slot a = 0, b = 0;
  std::int32_t c = 0; // exponent of an integer power; number of the condition of a choice

  static constexpr auto fields() {
    using I = Instruction;
    return std::tuple{field("operation", &I::operation), field("a", &I::a), field("b", &I::b),
                      field("c", &I::c)};
  }
};

struct Tape {
  List<std::string> inputs;     // "arm.position", "arm.velocity", "time"
  List<std::string> parameters; // names of the first constants
  List<double> constants;
  List<Instruction> code;
  List<Slot> conditions; // values whose signs decide
  List<Slot> outputs;

  static constexpr auto fields() {
    return std::tuple{field("inputs", &Tape::inputs),
                      field("parameters", &Tape::parameters),
                      field("constants", &Tape::constants, {}, Range::finite),
                      field("code", &Tape::code),
                      field("conditions", &Tape::conditions),
                      field("outputs", &Tape::outputs)};
  }

  Index first_result() const { return inputs.size() + constants.size(); }
  Index slots() const { return first_result() + code.size(); }
  Index named() const { return inputs.size() + parameters.size(); } // slots with a name: the first ones
  const std::string& name(Index slot) const {
    return slot < inputs.size() ? inputs[slot] : parameters[slot - inputs.size()];
  }
  bool is_constant(Slot s) const { return s >= inputs.size() && s < first_result(); }
};

// Throws InvalidArgument if an instruction reads outside of the slots, or a slot that is not yet computed.
void check(const Tape& tape);

// Consistent with ==.
std::size_t hash_of(const Tape& tape);

} // namespace stickslip
