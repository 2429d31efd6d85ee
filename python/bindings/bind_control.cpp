// Controllers.
#include "bind.hpp"
#include "codec.hpp"
#include "control_block.hpp"
#include "held_function.hpp"

#include "control/block.hpp"
#include "core/error.hpp"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <memory>

namespace py = pybind11;
using namespace pybind11::literals;

namespace stickslip::bindings {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

ControlOptions options(std::optional<double> min, std::optional<double> max,
                       const std::optional<std::string>& anti_windup, std::optional<double> tracking_time,
                       std::optional<double> period, double delay, double quantum, const std::string& rate,
                       bool tracks) {
  ControlOptions o;
  if (min) o.limits.min = *min;
  if (max) o.limits.max = *max;
  o.anti_windup = choose<AntiWindup>("anti_windup", anti_windup.value_or("none"));
  o.tracking_time = tracking_time;
  if (period) o.period = positive("period", *period);
  o.delay = delay;
  o.quantum = quantum;
  o.rate = choose<RateSource>("rate", rate);
  o.tracks = tracks;
  return o;
}

Controller checked(ControlLaw law, const ControlOptions& o) {
  Controller c{std::move(law), o};
  check(c);
  return c;
}

py::object given(const double* from, Index count) {
  if (count == 1) return py::float_(*from);
  return py::array_t<double>(count, from);
}

void take(const char* what, double t, const py::object& value, Index count, double* to) {
  const auto numbers = Numbers::ensure(value);
  if (!numbers) {
    PyErr_Clear();
    reject("function", std::string("returned no numbers as its ") + what + " at t = " + std::to_string(t));
  }
  if (numbers.size() != count)
    reject("function", "returned " + std::to_string(numbers.size()) + " numbers as its " + what +
                           " at t = " + std::to_string(t) + ", but " + std::to_string(count) + " are needed");
  for (Index i = 0; i < count; ++i) {
    to[i] = numbers.data()[i];
    if (std::isnan(to[i]))
      reject("function", std::string("returned nan in its ") + what + " at t = " + std::to_string(t));
  }
}

} // namespace

Program program(const py::object& function, Index references, Index measurements, Index outputs,
                const Vector& memory) {
  if (PyCallable_Check(function.ptr()) == 0)
    reject("function", "= " + std::string(py::repr(function)) + " is not allowed: it must be callable");
  const Index states = memory.size();
  Program p;
  const auto held = std::make_shared<const HeldFunction>(function);
  p.identity = held;
  p.references = references;
  p.measurements = measurements;
  p.outputs = outputs;
  p.memory = memory;
  p.call = [=](double t, const double* w, double* z, double* u) {
    const py::gil_scoped_acquire lock;
    const py::object r = given(w, references), y = given(w + references, measurements);
    if (states == 0) {
      take("output", t, held->get()(t, r, y), outputs, u);
      return;
    }
    const py::object answer = held->get()(t, r, y, py::array_t<double>(states, z));
    if (!py::isinstance<py::tuple>(answer) || py::len(answer) != 2)
      reject("function", "has a memory and must return the pair (output, memory); at t = " +
                             std::to_string(t) + " it did not");
    const auto pair = answer.cast<py::tuple>();
    take("output", t, pair[0], outputs, u);
    take("memory", t, pair[1], states, z);
  };
  return p;
}

void bind_control(py::module_ m) {
  py::class_<ControlOptions>(m, "ControlOptions", "What all controllers have: limits, sampling, anti-windup.")
      .def(py::init(&options), "min"_a, "max"_a, "anti_windup"_a, "tracking_time"_a, "period"_a, "delay"_a,
           "quantum"_a, "rate"_a, "tracks"_a);
  bind_block(m);
  py::class_<Controller>(m, "Controller", "A controller as a value; see stickslip.control.")
      .def_static(
          "p",
          [](double kp, double feedforward, const std::string& controls, const ControlOptions& o) {
            return checked(P{kp, feedforward, choose<Controlled>("controls", controls)}, o);
          },
          "kp"_a, "feedforward"_a, "controls"_a, "options"_a)
      .def_static(
          "pi",
          [](double kp, double tn, double feedforward, const std::string& controls, const ControlOptions& o) {
            return checked(PI{kp, tn, feedforward, choose<Controlled>("controls", controls)}, o);
          },
          "kp"_a, "tn"_a, "feedforward"_a, "controls"_a, "options"_a)
      .def_static(
          "pid",
          [](double kp, double ki, double kd, double tf, const std::string& of, const ControlOptions& o) {
            return checked(PID{kp, ki, kd, tf, choose<DerivativeOf>("derivative_of", of)}, o);
          },
          "kp"_a, "ki"_a, "kd"_a, "tf"_a, "derivative_of"_a, "options"_a)
      .def_static(
          "cascade",
          [](double kv, double kp, double tn, const std::string& position, double velocity_feedforward,
             double force_feedforward, const ControlOptions& o) {
            const auto side = choose<Side>("position", position);
            return checked(Cascade{kv, kp, tn, side, velocity_feedforward, force_feedforward}, o);
          },
          "kv"_a, "kp"_a, "tn"_a, "position"_a, "velocity_feedforward"_a, "force_feedforward"_a, "options"_a)
      .def_static(
          "linear",
          [](const Matrix& A, const Matrix& B, const Matrix& C, const Matrix& D, bool error, Index references,
             const std::optional<Matrix>& gain, bool discrete, const ControlOptions& o) {
            return checked(Linear{A, B, C, D, error, references, gain.value_or(Matrix()), discrete}, o);
          },
          "A"_a, "B"_a, "C"_a, "D"_a, "error"_a, "references"_a, "gain"_a, "discrete"_a, "options"_a)
      .def_static(
          "program",
          [](const py::object& function, Index references, Index measurements, Index outputs,
             const Vector& memory, const ControlOptions& o) {
            return checked(program(function, references, measurements, outputs, memory), o);
          },
          "function"_a, "references"_a, "measurements"_a, "outputs"_a, "memory"_a, "options"_a)
      .def_static(
          "friction_curve",
          [](const Law& law, double normal_load, const std::string& controls, const ControlOptions& o) {
            return checked(FrictionCurve{law, normal_load, choose<Controlled>("controls", controls)}, o);
          },
          "law"_a, "normal_load"_a, "controls"_a, "options"_a)
      .def("block", [](const Controller& c) { return compile(c); })
      .def(py::pickle([](const Controller& c) { return pack(c); }, &unpack_controller))
      .def("__eq__",
           [](const Controller& a, const py::object& b) {
             return py::isinstance<Controller>(b) && a == b.cast<const Controller&>();
           })
      .def("__hash__",
           [](const Controller& c) { return c.law.index() * 31U + std::hash<double>()(c.options.period); });
}

} // namespace stickslip::bindings
