// Initial values by name as a vector of states.
#pragma once

#include "model/system.hpp"

#include <map>
#include <string>

namespace stickslip {

Vector start_states(const System& sys, const std::map<std::string, double>& given);

} // namespace stickslip
