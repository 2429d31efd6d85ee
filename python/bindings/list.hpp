// The engine's lists are lists of Python.
#pragma once

#include "core/list.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace pybind11::detail {

template <class T> struct type_caster<stickslip::List<T>> : list_caster<stickslip::List<T>, T> {};

} // namespace pybind11::detail
