// The operation that first produced a non-finite value.
#pragma once

#include "expression/evaluate.hpp"

#include <optional>
#include <string>

namespace stickslip {

struct Undefined {
  Slot slot = 0;
  std::string
      text; // the operation, what it was given and the inputs behind it: sqrt(x - 2) = sqrt(-1) at x = 1
};

// After an evaluation: the first operation, among those that matter with these signs (null: as the conditions say),
// whose result is not finite although it was given finite values; or an input that is not finite. None if all
// outputs and conditions are finite.
std::optional<Undefined> diagnose(const Tape& tape, const Sign* signs, const double* slots);

} // namespace stickslip
