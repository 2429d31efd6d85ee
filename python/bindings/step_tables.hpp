// The tables of the fixed-step form as lists and arrays of Python.
#pragma once

#include "core/types.hpp"
#include "model/machine.hpp"

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

namespace stickslip::bindings {

// Throws InvalidArgument for a machine without such tables, with the element and the cure.
// `parameters` have these values, which are numbers or initial values as in ensembles.
pybind11::dict step_tables(const Machine& machine, const Vector& initial,
                           const std::vector<std::string>& parameters, const Vector& values, double step,
                           double t0, int max_transitions, const std::vector<std::string>& outputs);

} // namespace stickslip::bindings
