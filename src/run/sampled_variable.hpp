// Displayed variables by name, and their values in a sampled run.
#pragma once

#include "model/system.hpp"
#include "run/samples.hpp"

#include <string>
#include <string_view>

namespace stickslip {

// Throws UnknownName, with the known ones; `where` follows the name in the message.
const Variable& find_variable(const System& sys, const std::string& name, std::string_view where);

// Value in a column of the samples. `sys`: of their run.
double sampled_variable(Samples& samples, const System& sys, Read from, Index index, Index part,
                        Index column);

} // namespace stickslip
