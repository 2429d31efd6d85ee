// Many runs at once.
#include "bind.hpp"
#include "description.hpp"

#include "ensemble/ensemble.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

py::tuple run(const Description& described, double t_start, Vector initial, const Options& options,
              std::vector<std::string> parameters, Matrix values, std::vector<std::string> measures,
              unsigned workers) {
  const Ensemble e{described.machine,     t_start,           std::move(initial), options,
                   std::move(parameters), std::move(values), std::move(measures)};
  bool interrupted = false;
  const std::function<bool()> stop = [&] {
    const py::gil_scoped_acquire hold;
    interrupted = interrupted || PyErr_CheckSignals() != 0;
    return interrupted;
  };
  EnsembleResult out;
  {
    const py::gil_scoped_release release;
    out = run_ensemble(e, workers, stop);
  }
  if (interrupted) throw py::error_already_set();
  py::array_t<std::int8_t> codes(static_cast<py::ssize_t>(out.status.size()), out.status.data());
  return py::make_tuple(std::move(out.values), codes);
}

} // namespace

void bind_ensemble(py::module_ m) {
  m.def("run_ensemble", &run, "machine"_a, "t_start"_a, "initial"_a, "options"_a, "parameters"_a, "values"_a,
        "measures"_a, "workers"_a);
}

} // namespace stickslip::bindings
