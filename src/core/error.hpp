// Errors that name the argument, its value and the allowed range. The bindings turn InvalidArgument into
// ValueError.
#pragma once

#include "core/list.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stickslip {

struct InvalidArgument : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Access by a name that the machine does not have; becomes UnknownNameError (KeyError and ValueError) in Python.
struct UnknownName : std::out_of_range {
  using std::out_of_range::out_of_range;
};

[[noreturn]] void reject(std::string_view name, double value, std::string_view allowed);
[[noreturn]] void reject(std::string_view name, std::string_view what);

inline double finite(std::string_view name, double value) {
  if (!std::isfinite(value)) reject(name, value, "finite");
  return value;
}

inline double positive(std::string_view name, double value) {
  if (!(std::isfinite(value) && value > 0.0)) reject(name, value, "finite and > 0");
  return value;
}

inline double non_negative(std::string_view name, double value) {
  if (!(std::isfinite(value) && value >= 0.0)) reject(name, value, "finite and >= 0");
  return value;
}

// Names in an error: 'a', 'b'.
std::string quoted(const List<std::string>& names);

} // namespace stickslip
