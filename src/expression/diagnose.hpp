// The operation that first produced a non-finite value.
#pragma once

#include "expression/evaluate.hpp"

#include <optional>
#include <string>

namespace stickslip {

struct Undefined {
  Slot slot = 0;
  std::string
      text; // the operation, its arguments and the inputs they depend on: sqrt(x - 2) = sqrt(-1) at x = 1
};

// After an evaluation: the first operation, among those that are used with these signs (null: the signs of the
// conditions), whose result is not finite although it was given finite values; or an input that is not finite. None if
// all outputs and conditions are finite.
std::optional<Undefined> diagnose(const Tape& tape, const Sign* signs, const double* slots);

} // namespace stickslip
