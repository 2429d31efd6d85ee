// Many runs at once.
#include "bind.hpp"
#include "description.hpp"

#include "ensemble/ensemble.hpp"
#include "ensemble/with_numbers.hpp"

#include <optional>

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

py::tuple run(const Description& described, double t_start, Vector initial, const Options& options,
              std::vector<std::string> parameters, Matrix values, std::vector<std::string> measures,
              unsigned workers, const std::optional<std::function<bool()>>& asked) {
  const Ensemble e{described.machine,     t_start,           std::move(initial), options,
                   std::move(parameters), std::move(values), std::move(measures)};
  // Ctrl-C in the main thread of a process ends it like `asked`: what is done is returned.
  const std::function<bool()> stop = [&] {
    const py::gil_scoped_acquire hold;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      return asked && (*asked)();
    } catch (const py::error_already_set&) {
      return true;
    }
  };
  EnsembleResult out;
  {
    const py::gil_scoped_release release;
    out = run_ensemble(e, workers, stop);
  }
  py::array_t<std::int8_t> codes(static_cast<py::ssize_t>(out.status.size()), out.status.data());
  return py::make_tuple(std::move(out.values), codes, out.messages);
}

py::tuple with_numbers(const Description& described, Vector initial, const std::vector<std::string>& names,
                       const Vector& values) {
  Machine changed = stickslip::with_numbers(described.machine, names, values, initial);
  return py::make_tuple(std::make_shared<Description>(std::move(changed)), std::move(initial));
}

} // namespace

void bind_ensemble(py::module_ m) {
  m.def("run_ensemble", &run, "machine"_a, "t_start"_a, "initial"_a, "options"_a, "parameters"_a, "values"_a,
        "measures"_a, "workers"_a, "stop"_a = py::none());
  m.def(
      "signal",
      [](const Description& described, const std::string& name) {
        Machine copy = described.machine;
        return Signal(signal_of(copy, name));
      },
      "machine"_a, "name"_a);
  m.def(
      "with_signals",
      [](const Description& described, const std::vector<std::string>& names,
         const std::vector<Signal>& signals) {
        return std::make_shared<Description>(
            with_signals(described.machine, List<std::string>(names), List<Signal>(signals)));
      },
      "machine"_a, "names"_a, "signals"_a, "Return the machine with other signals.");
  m.def("with_numbers", &with_numbers, "machine"_a, "initial"_a, "names"_a, "values"_a,
        "Return the machine with changed parameters, and its initial values.");
}

} // namespace stickslip::bindings
