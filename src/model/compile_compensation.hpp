// Friction compensation, compiled to friction elements with the opposite sign of the force.
#pragma once

#include "model/draft.hpp"

namespace stickslip {

// First stage: states and signals.
void declare_compensators(Draft& draft);

// Second stage, when the plant's matrices are known.
void wire_compensators(Draft& draft);

} // namespace stickslip
