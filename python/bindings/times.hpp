// Times as they come from NumPy.
#pragma once

#include <vector>

#include <pybind11/numpy.h>

namespace stickslip::bindings {

using Times = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

inline std::vector<double> values(const Times& times) {
  return {times.data(), times.data() + times.size()};
}

} // namespace stickslip::bindings
