#include "stickslip/machine_file.hpp"

#include "core/error.hpp"
#include "export/exported_machine.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

namespace stickslip {

namespace {

ExportedMachine read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidArgument("cannot read " + path.string());
  try {
    return exported_machine(std::string{std::istreambuf_iterator<char>(file), {}});
  } catch (const InvalidArgument& e) {
    throw InvalidArgument(path.string() + ": " + e.what());
  }
}

} // namespace

MachineFile read_machine(const std::filesystem::path& path) {
  ExportedMachine exported = read(path);
  const System sys = compile(exported.machine);
  MachineFile out{std::move(exported.machine), {}, {}, {}};
  for (Index i = 0; i < exported.initial.size(); ++i) // the others follow from constraints
    if (!std::isnan(exported.initial(i))) out.initial[sys.states[i]] = exported.initial(i);
  for (const ExportedInput& one : exported.inputs) out.inputs.push_back(one.name);
  for (const ExportedOutput& one : exported.outputs) out.outputs.push_back(one.name);
  return out;
}

} // namespace stickslip
