// Expressions as formulas for people.
#pragma once

#include "expression/tape.hpp"

#include <string>

namespace stickslip {

// The formula of a slot. A long one is replaced by its number of operations.
std::string text(const Tape& tape, Slot slot);

// A number in as few of 15 to 17 digits as read back as the same.
std::string text_of(double value);

} // namespace stickslip
