// Why the force or a rate of a friction law is undefined at a velocity and its states.
#pragma once

#include "friction/law.hpp"

#include <string>

namespace stickslip {

// The operation of a formula whose result is not finite, with its inputs; empty: none.
std::string undefined_force(const Formula& c, double v, int direction, double load, const double* z);
std::string undefined_force(const Law& law, double v, int direction, double load, const double* z);

} // namespace stickslip
