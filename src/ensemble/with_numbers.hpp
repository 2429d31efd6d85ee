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

// The signal with this path, and the machine with other signals at these paths.
Signal& signal_of(Machine& machine, const std::string& path);
Machine with_signals(Machine machine, const List<std::string>& signals, const List<Signal>& values);

[[noreturn]] void reject_states(); // a parameter would change their number

} // namespace stickslip
