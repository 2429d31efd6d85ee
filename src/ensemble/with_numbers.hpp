// A machine with other values of parameters in it.
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "model/machine.hpp"

#include <string>

namespace stickslip {

// The machine with these numbers in it; initial values are put into `x0`.
Machine with_numbers(const Machine& machine, const List<std::string>& names, const Vector& values,
                     Vector& x0);

[[noreturn]] void reject_states(); // a parameter would change their number

} // namespace stickslip
