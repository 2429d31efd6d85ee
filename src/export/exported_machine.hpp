// A machine with the names under which another program sets its inputs and parameters and reads its outputs.
#pragma once

#include "flow/options.hpp"
#include "model/machine.hpp"
#include "model/system.hpp"

#include <set>
#include <string>
#include <string_view>

namespace stickslip {

struct StartValue {
  std::string name;
  double value = 0.0;
  bool tunable = false; // may be set during a run

  static constexpr auto fields() {
    return std::tuple{field("name", &StartValue::name), field("value", &StartValue::value),
                      field("tunable", &StartValue::tunable)};
  }
};

struct ExportedInput {
  std::string name;
  double value = 0.0; // at the start
  std::string path;   // of the first signal that reads it (model/paths.hpp)

  static constexpr auto fields() {
    using I = ExportedInput;
    return std::tuple{field("name", &I::name), field("value", &I::value), field("path", &I::path)};
  }
};

struct ExportedOutput {
  std::string name;     // of a variable
  bool integer = false; // a mode

  static constexpr auto fields() {
    return std::tuple{field("name", &ExportedOutput::name), field("integer", &ExportedOutput::integer)};
  }
};

struct ExportedMachine {
  Machine machine;
  Vector initial; // of every state; NaN: constraints determine it
  List<ExportedInput> inputs;
  List<StartValue> parameters; // paths (model/paths.hpp) and initial values
  List<ExportedOutput> outputs;
  double rtol = Options{}.rtol, max_step = Options{}.max_step;
};

// Names of the inputs in the signals of a machine.
std::set<std::string> input_names(const Machine& machine);

// An exported machine whose inputs may also be paths of constant signals, which become inputs of that name. Throws
// InvalidArgument for names that another list holds, or that cannot be set or read from outside. Values of inputs and
// parameters become those of the machine.
ExportedMachine with_inputs(ExportedMachine exported);

const Variable& find_output(const System& sys, const std::string& name);

// A file: the format and a checksum, then the values. Throws InvalidArgument for Python functions, with the element's
// name; for files that are damaged or newer.
std::string to_bytes(const ExportedMachine& exported);
ExportedMachine exported_machine(std::string_view file);
// Distinguishes files from each other.
std::string token_of(std::string_view file);

} // namespace stickslip
