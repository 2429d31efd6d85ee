// A machine whose parameters differ slightly from those of a compiled one, for finite differences.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// With its own copy of every signal, and with the sizes of the compiled machine: both sides of a difference have the
// same tolerances, and computing sizes would dominate the time.
System compile_beside(const Machine& machine, const System& sizes);

} // namespace stickslip
