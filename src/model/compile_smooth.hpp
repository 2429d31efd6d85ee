#pragma once

#include "model/draft.hpp"

namespace stickslip {

// Parts of the machine that are functions of positions, velocities and time; empty for a linear machine. Signals whose
// values follow the state are declared first, with the value 0; rows and columns are wired with their linear parts.
void declare_smooth(Draft& draft);
void wire_smooth(Draft& draft);

} // namespace stickslip
