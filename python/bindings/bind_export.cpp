// Machines for other programs.
#include "bind.hpp"
#include "description.hpp"
#include "step_tables.hpp"

#include "export/exported_machine.hpp"
#include "export/model_exchange.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

template <class Named> List<Named> list_of(const std::vector<std::string>& names) {
  List<Named> out;
  for (const std::string& name : names) out.emplace_back().name = name;
  return out;
}

// The file, and the variables that it names.
py::dict export_machine(const Description& described, const Vector& initial,
                        const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                        const std::vector<std::string>& parameters, double rtol, double max_step) {
  const ExportedMachine exported =
      with_inputs({described.machine, initial, list_of<ExportedInput>(inputs),
                   list_of<StartValue>(parameters), list_of<ExportedOutput>(outputs), rtol, max_step});
  const std::string file = to_bytes(exported);
  py::list in, read, set;
  for (const ExportedInput& one : exported.inputs) in.append(py::make_tuple(one.name, one.value, one.path));
  for (const ExportedOutput& one : exported.outputs) read.append(py::make_tuple(one.name, one.integer));
  for (const StartValue& one : exported.parameters)
    set.append(py::make_tuple(one.name, one.value, one.tunable));
  py::dict out;
  out["file"] = py::bytes(file);
  out["token"] = token_of(file);
  out["inputs"] = in;
  out["outputs"] = read;
  out["parameters"] = set;
  const System sys = compile(exported.machine);
  out["states"] = py::cast(std::vector<std::string>(sys.states.begin(), sys.states.end()));
  const List<std::string> indicators = EventIndicators::names(sys);
  out["indicators"] = py::cast(std::vector<std::string>(indicators.begin(), indicators.end()));
  out["exchange_refusal"] = exchange_refusal(sys);
  return out;
}

} // namespace

void bind_export(py::module_ m) {
  m.def("export_machine", &export_machine, "machine"_a, "initial"_a, "inputs"_a, "outputs"_a, "parameters"_a,
        "rtol"_a, "max_step"_a,
        "Return the file that the library of exported machines reads, its token, and start values.");
  m.def(
      "step_tables",
      [](const Description& described, const Vector& initial, const std::vector<std::string>& parameters,
         const Vector& values, double step, double t0, int max_transitions,
         const std::vector<std::string>& outputs) {
        return step_tables(described.machine, initial, parameters, values, step, t0, max_transitions,
                           outputs);
      },
      "machine"_a, "initial"_a, "parameters"_a, "values"_a, "step"_a, "t0"_a, "max_transitions"_a,
      "outputs"_a, "Tables of the fixed-step form of a machine whose parameters have these values.");
  m.def(
      "inputs",
      [](const Description& described) {
        const auto names = input_names(described.machine);
        return std::vector<std::string>(names.begin(), names.end());
      },
      "machine"_a, "Names of the inputs in the signals of a machine.");
}

} // namespace stickslip::bindings
