// Controllers.
#include "bind.hpp"
#include "codec.hpp"
#include "control_block.hpp"
#include "held_function.hpp"

#include "control/block.hpp"
#include "control/program_error.hpp"
#include "core/error.hpp"

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>

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

std::string at(double t) {
  std::ostringstream text;
  text.precision(12);
  text << " at t = " << t << " s";
  return text.str();
}

// Numbers in any order that NumPy understands; `hstack` joins those that stand beside arrays.
std::optional<Numbers> as_numbers(const py::object& value) {
  if (const auto numbers = Numbers::ensure(value)) return numbers;
  PyErr_Clear();
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value)) return std::nullopt;
  try {
    if (const auto numbers = Numbers::ensure(py::module_::import("numpy").attr("hstack")(value)))
      return numbers;
    PyErr_Clear();
    return std::nullopt;
  } catch (const py::error_already_set& e) {
    if (!e.matches(PyExc_Exception)) throw;
    return std::nullopt;
  }
}

void take(const char* what, double t, const py::object& value, Index count, double* to) {
  const std::optional<Numbers> numbers = as_numbers(value);
  if (!numbers) reject("function", std::string("returned no numbers as its ") + what + at(t));
  if (numbers->size() != count)
    reject("function", "returned " + std::to_string(numbers->size()) + " numbers as its " + what + at(t) +
                           ", but " + std::to_string(count) + " are needed");
  for (Index i = 0; i < count; ++i) {
    to[i] = numbers->data()[i];
    if (std::isnan(to[i])) reject("function", std::string("returned nan in its ") + what + at(t));
  }
}

// A function of C, which runs without the interpreter.
using NativeFunction = void (*)(double t, const double* references, const double* measurements,
                                double* memory, double* outputs);

// Null for a function of Python.
NativeFunction native_function(const py::object& function) {
  if (!py::hasattr(function, "native_address")) return nullptr;
  return reinterpret_cast<NativeFunction>(function.attr("native_address").cast<std::uintptr_t>());
}

// What the function returns; an exception that it raises becomes the cause of a ProgramError.
py::object called(const py::object& function, double t, const py::tuple& arguments) {
  try {
    return function(*arguments);
  } catch (const py::error_already_set& e) {
    if (!e.matches(PyExc_Exception)) throw; // an interrupt goes through
    const std::string type = py::str(py::type::handle_of(e.value()).attr("__name__"));
    throw ProgramError("function raised " + type + at(t) + ": " + std::string(py::str(e.value())),
                       std::current_exception());
  }
}

} // namespace

Program program(const py::object& function, Index references, Index measurements, Index outputs,
                const Vector& memory) {
  const NativeFunction native = native_function(function);
  if (native == nullptr && PyCallable_Check(function.ptr()) == 0)
    reject("function", "= " + std::string(py::repr(function)) + " is not allowed: it must be callable");
  const Index states = memory.size();
  Program p;
  const auto held = std::make_shared<const HeldFunction>(function);
  p.identity = held;
  p.references = references;
  p.measurements = measurements;
  p.outputs = outputs;
  p.memory = memory;
  p.in_engine = native != nullptr;
  if (native != nullptr) {
    p.call = [=](double t, const double* w, double* z, double* u) { native(t, w, w + references, z, u); };
    return p;
  }
  p.call = [=](double t, const double* w, double* z, double* u) {
    const py::gil_scoped_acquire lock;
    const py::array_t<double> r(references, w), y(measurements, w + references);
    if (states == 0) {
      take("output", t, called(held->get(), t, py::make_tuple(t, r, y)), outputs, u);
      return;
    }
    const py::object answer = called(held->get(), t, py::make_tuple(t, r, y, py::array_t<double>(states, z)));
    if (!py::isinstance<py::tuple>(answer) || py::len(answer) != 2)
      reject("function", "has a memory and must return the pair (output, memory), which it did not" + at(t));
    const auto pair = answer.cast<py::tuple>();
    take("output", t, pair[0], outputs, u);
    take("memory", t, pair[1], states, z);
  };
  return p;
}

void bind_control(py::module_ m) {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const ProgramError& e) {
      try {
        std::rethrow_exception(e.cause);
      } catch (py::error_already_set& cause) {
        py::raise_from(cause, PyExc_RuntimeError, e.what());
      }
    }
  });
  py::class_<ControlOptions>(m, "ControlOptions",
                             "Options common to all controllers: limits, sampling, anti-windup.")
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
