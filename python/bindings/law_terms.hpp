// A law as Python says it: a list of (kind, parameters), one for each term.
#pragma once

#include "friction/law.hpp"

#include <pybind11/pybind11.h>

namespace stickslip::bindings {

Law make_law(const pybind11::sequence& terms);
// As they were given, or with `all` that follows from what was given.
pybind11::list terms_of(const Law& law, bool all = false);

} // namespace stickslip::bindings
