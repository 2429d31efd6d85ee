// Descriptions and runs as plain values, and back: what pickle and copy work with. All hold the number of their
// format; another one is refused.
#pragma once

#include "list.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

namespace stickslip {
struct Controller;
class Machine;
struct Compiled;
struct Modes;
struct State;
struct Trajectory;
} // namespace stickslip

namespace stickslip::bindings {

// Of descriptions; with every change of their fields it goes on.
inline constexpr int description_format = 7;
// The oldest one that is read; fields that it lacks keep their defaults.
inline constexpr int oldest_format = 5;

struct Description;

pybind11::dict pack(const Controller& controller);
Controller unpack_controller(const pybind11::dict& saved);

pybind11::dict pack(const Machine& machine);
Machine unpack_machine(const pybind11::dict& saved);

// One part of a machine as a dictionary of its fields, with laws, signals and controllers as objects.
Machine machine_of(const pybind11::dict& plant);
void add_to(Description& description, const pybind11::dict& element);
pybind11::dict plant_of(const Machine& machine);
pybind11::object elements_of(const Machine& machine);
pybind11::object scales_of(const Machine& machine);

// The Mode of each friction element as a number.
std::vector<int> friction_modes(const Modes& modes);

pybind11::tuple pack(const State& state);
State unpack_state(const pybind11::tuple& saved);

// Without the machine, which has to be given again.
pybind11::tuple pack(const Trajectory& run);
Trajectory unpack_trajectory(const std::shared_ptr<Compiled>& compiled, const pybind11::tuple& saved);

// What bytes that somebody else has written may do: hold too little, or something else.
template <class Read> auto read_soundly(const char* what, Read&& read) {
  const std::string damaged = "this " + std::string(what) + " is damaged: ";
  try {
    return read();
  } catch (const pybind11::cast_error& e) {
    throw pybind11::value_error(damaged + e.what());
  } catch (const pybind11::builtin_exception& e) {
    throw pybind11::value_error(damaged + e.what());
  } catch (const std::out_of_range& e) {
    throw pybind11::value_error(damaged + e.what());
  } catch (const pybind11::error_already_set& e) {
    if (e.matches(PyExc_ValueError) || !e.matches(PyExc_Exception)) throw;
    throw pybind11::value_error(damaged + e.what());
  }
}

} // namespace stickslip::bindings
