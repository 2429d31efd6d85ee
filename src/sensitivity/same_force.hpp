// Bitwise comparison of two compiled machines.
#pragma once

#include "model/system.hpp"

namespace stickslip {

bool same_form(const Form& a, const Form& b);
// The force of both is the same function of the state and the signals.
bool same_force(const Friction& a, const Friction& b);

} // namespace stickslip
