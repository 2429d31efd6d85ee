// The parts of the contact room's bindings.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

namespace stickslip::bindings {

void bind_lcp(pybind11::module_& m);
void bind_transition(pybind11::module_& m);

} // namespace stickslip::bindings
