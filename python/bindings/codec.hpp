// Descriptions and runs as plain values, and back: what pickle and copy work with. All hold the number of their
// format; another one is refused.
#pragma once

#include "list.hpp"
#include "model/machine.hpp"
#include "run/trajectory.hpp"

#include <memory>
#include <vector>

#include <pybind11/pybind11.h>

namespace stickslip::bindings {

pybind11::dict pack(const Controller& controller);
Controller unpack_controller(const pybind11::dict& saved);

pybind11::dict pack(const Machine& machine);
Machine unpack_machine(const pybind11::dict& saved);

// The Mode of each friction element as a number.
std::vector<int> friction_modes(const Modes& modes);

pybind11::tuple pack(const State& state);
State unpack_state(const pybind11::tuple& saved);

// Without the machine, which has to be given again.
pybind11::tuple pack(const Trajectory& run);
Trajectory unpack_trajectory(const std::shared_ptr<Compiled>& compiled, const pybind11::tuple& saved);

} // namespace stickslip::bindings
