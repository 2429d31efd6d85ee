// Machines that were described in Python: the file resources/machine.bin of an unpacked FMU (stickslip.export.fmu).
#pragma once

#include "core/list.hpp"
#include "stickslip/machine.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace stickslip {

struct MachineFile {
  Machine machine;                       // its inputs are input_signal
  std::map<std::string, double> initial; // values of states
  List<std::string> inputs, outputs;     // as they were exported
};

// Throws InvalidArgument, with the path, for a file that is missing, damaged or newer.
MachineFile read_machine(const std::filesystem::path& path);

} // namespace stickslip
