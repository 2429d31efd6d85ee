// The part of the room of control that shows how controllers run.
#pragma once

#include <pybind11/pybind11.h>

namespace stickslip::bindings {

void bind_block(pybind11::module_& m);

} // namespace stickslip::bindings
