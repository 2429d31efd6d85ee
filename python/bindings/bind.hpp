// What module.cpp lists: one function per room, which fills the submodule of that name.
#pragma once

#include "list.hpp"

#include <pybind11/pybind11.h>

namespace stickslip::bindings {

void bind_core(); // errors alone: no names
void bind_signal(pybind11::module_ m);
void bind_expression(pybind11::module_ m);
void bind_friction(pybind11::module_ m);
void bind_contact(pybind11::module_ m);
void bind_control(pybind11::module_ m);
void bind_model(pybind11::module_ m);
void bind_dynamics(pybind11::module_ m);
void bind_flow(pybind11::module_ m);
void bind_transition(pybind11::module_ m);
void bind_run(pybind11::module_ m);
void bind_samples(pybind11::module_ m); // a part of bind_run
void bind_realtime(pybind11::module_ m);
void bind_ensemble(pybind11::module_ m);
void bind_sensitivity(pybind11::module_ m);
void bind_linear(pybind11::module_ m);
void bind_export(pybind11::module_ m);

} // namespace stickslip::bindings
