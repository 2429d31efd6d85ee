// Why a law has no value where the velocity and its states are these.
#pragma once

#include "friction/law.hpp"

#include <string>

namespace stickslip {

// The operation of a formula that is not finite, with its inputs; empty: none.
std::string undefined_force(const Law& law, double v, int direction, double load, const double* z);

} // namespace stickslip
