// The coefficient of restitution of a contact.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// At the speed with which it is approached, 0 where it is not. May be NaN, or outside [0, 1], where it is a formula.
double restitution(const Contact& contact, double rate);

} // namespace stickslip
