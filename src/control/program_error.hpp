// Errors of a user's program, which name the controller.
#pragma once

#include "control/program.hpp"

#include <exception>
#include <stdexcept>
#include <string>

namespace stickslip {

// A program that has raised an exception of its own.
struct ProgramError : std::runtime_error {
  ProgramError(const std::string& what, std::exception_ptr from)
      : std::runtime_error(what), cause(std::move(from)) {}

  std::exception_ptr cause;
};

// The same program; its errors begin with the name of its controller.
Program named(Program program, const std::string& controller);

} // namespace stickslip
