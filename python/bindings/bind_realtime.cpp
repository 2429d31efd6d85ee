// The fixed-step form.
#include "bind.hpp"
#include "codec.hpp"

#include "core/error.hpp"
#include "dynamics/compiled.hpp"
#include "realtime/named_outputs.hpp"

#include <memory>

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using Row = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The stepper with the outputs that are asked of it.
struct Stepping {
  RealTime engine;
  NamedOutputs outputs;

  Stepping(const Compiled& c, double step, const Vector& x0, double t0, int max_transitions,
           const std::vector<std::string>& what)
      : engine(c.system, step, x0, t0, max_transitions), outputs(c.system, what) {}

  void check(Index given) const {
    if (given != engine.input_values().size())
      reject("inputs", "has " + std::to_string(given) + " values for " +
                           std::to_string(engine.input_values().size()) + " inputs");
  }

  // Called once a step from Python: the arrays are NumPy's own, without a copy.
  py::array_t<double> step(const py::array_t<double, py::array::c_style>& values) {
    check(static_cast<Index>(values.size()));
    engine.step(values.data());
    py::array_t<double> out(outputs.size());
    outputs.read(engine, out.mutable_data());
    return out;
  }

  Row run(const Row& values) {
    check(values.cols());
    Row out(values.rows(), outputs.size());
    py::gil_scoped_release release;
    for (Index k = 0; k < values.rows(); ++k) {
      engine.step(values.row(k).data());
      outputs.read(engine, out.row(k).data());
    }
    return out;
  }

  // Steps alone, with inputs as they are.
  void go(std::int64_t steps) {
    const Vector values = engine.input_values();
    py::gil_scoped_release release;
    for (std::int64_t k = 0; k < steps; ++k) engine.step(values.data());
  }

  Vector read() {
    Vector out(outputs.size());
    outputs.read(engine, out.data());
    return out;
  }
};

} // namespace

void bind_realtime(py::module_ m) {
  py::class_<Stepping>(m, "RealTime")
      .def(py::init<const Compiled&, double, const Vector&, double, int, const std::vector<std::string>&>(),
           "compiled"_a, "step"_a, "x0"_a, "t0"_a, "max_transitions"_a, "outputs"_a)
      .def("step", &Stepping::step, "inputs"_a)
      .def("run", &Stepping::run, "inputs"_a)
      .def("go", &Stepping::go, "steps"_a)
      .def("read", [](Stepping& s) { return s.read(); })
      .def_property_readonly("inputs", [](const Stepping& s) { return s.engine.inputs(); })
      .def_property_readonly("input_values", [](const Stepping& s) { return s.engine.input_values(); })
      .def_property_readonly("t", [](const Stepping& s) { return s.engine.time(); })
      .def_property_readonly("steps", [](const Stepping& s) { return s.engine.steps(); })
      .def_property_readonly("state", [](const Stepping& s) { return Vector(s.engine.state()); })
      .def_property_readonly("modes", [](const Stepping& s) { return friction_modes(s.engine.modes()); })
      .def_property_readonly("prebuilt", [](const Stepping& s) { return s.engine.prebuilt(); })
      .def_property_readonly("transitions", [](const Stepping& s) { return s.engine.transitions; })
      .def_property_readonly("left_over", [](const Stepping& s) { return s.engine.left_over; })
      .def_property_readonly("late", [](const Stepping& s) { return s.engine.late; })
      .def_property_readonly("clipped", [](const Stepping& s) { return s.engine.clipped; })
      .def_property_readonly("clipped_steps", [](const Stepping& s) { return s.engine.clipped_steps; })
      .def_property_readonly("failed", [](const Stepping& s) { return s.engine.failed; });
}

} // namespace stickslip::bindings
