// Names of elements as events number them.
#pragma once

#include "model/system.hpp"

namespace stickslip {

// Friction elements, then contacts, controllers, springs.
const std::string& element_name(const System& sys, Index element);

} // namespace stickslip
