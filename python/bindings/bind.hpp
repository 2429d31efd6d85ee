// What module.cpp lists: one function per room.
#pragma once

#include <pybind11/pybind11.h>

namespace stickslip::bindings {

void bind_errors(pybind11::module_& m);
void bind_signal(pybind11::module_& m);
void bind_friction(pybind11::module_& m);
void bind_contact(pybind11::module_& m);
void bind_block(pybind11::module_& m);
void bind_control(pybind11::module_& m);
void bind_model(pybind11::module_& m);
void bind_run(pybind11::module_& m);
void bind_real_time(pybind11::module_& m);
void bind_ensemble(pybind11::module_& m);

} // namespace stickslip::bindings
