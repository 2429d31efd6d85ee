#pragma once

#include "model/draft.hpp"

namespace stickslip {

// Parts of the machine that are functions of positions, velocities and time; nothing for a linear machine. Signals whose
// values follow the state are declared first, with 0 for a value; rows and columns are wired with what is linear in them.
void declare_smooth(Draft& draft);
void wire_smooth(Draft& draft);

} // namespace stickslip
