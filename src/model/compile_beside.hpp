// A machine whose parameters are a little different from those of one that is compiled.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// With signals of its own for every use, and with the sizes of the other one: tolerances are the same on both sides of
// a difference, and to find sizes costs more than all the rest.
System compile_beside(const Machine& machine, const System& sizes);

} // namespace stickslip
