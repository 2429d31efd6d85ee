#include "bind.hpp"
#include "codec.hpp"
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

template <class Enum>
Enum choose(const char* name, const std::string& given,
            std::initializer_list<std::pair<const char*, Enum>> allowed) {
  std::string list;
  for (const auto& [text, value] : allowed) {
    if (given == text) return value;
    list += (list.empty() ? "'" : ", '") + std::string(text) + "'";
  }
  reject(name, "= '" + given + "' is not allowed: it must be one of " + list);
}

ControlOptions options(std::optional<double> min, std::optional<double> max,
                       const std::optional<std::string>& anti_windup, std::optional<double> tracking_time,
                       std::optional<double> period, double delay, double quantum, const std::string& rate) {
  ControlOptions o;
  if (min) o.limits.min = *min;
  if (max) o.limits.max = *max;
  o.anti_windup = choose<AntiWindup>("anti_windup", anti_windup.value_or("none"),
                                     {{"none", AntiWindup::none},
                                      {"back_calculation", AntiWindup::back_calculation},
                                      {"clamping", AntiWindup::clamping}});
  o.tracking_time = tracking_time;
  if (period) o.period = positive("period", *period);
  o.delay = delay;
  o.quantum = quantum;
  o.rate = choose<RateSource>("rate", rate,
                              {{"measured", RateSource::measured}, {"difference", RateSource::difference}});
  return o;
}

Controller checked(ControlLaw law, const ControlOptions& o) {
  Controller c{std::move(law), o};
  check(c);
  return c;
}

Quantity quantity(const std::string& text) {
  return choose<Quantity>("controls", text, {{"value", Quantity::value}, {"rate", Quantity::rate}});
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

namespace {

std::vector<std::string> input_names(const Block& b) {
  std::vector<std::string> names;
  for (const Channel& c : b.inputs) {
    std::string name = c.of == Channel::Of::reference ? "reference" : "measurement";
    if (c.index > 0) name += std::to_string(c.index);
    if (c.order == 1) name += ".rate";
    if (c.order == 2) name += ".acceleration";
    if (c.difference) name += ".difference";
    names.push_back(name);
  }
  return names;
}

void need(const char* name, const Vector& v, Index size) {
  if (v.size() != size) reject(name, "has the wrong length");
}

BlockInputs read(const Block& b, const Vector& z, const Vector& w, const std::optional<Vector>& wdot) {
  need("z", z, b.states());
  need("w", w, b.D.cols());
  if (wdot) need("wdot", *wdot, b.D.cols());
  if (!wdot && b.needs_input_rates()) reject("wdot", "is needed by this block");
  return {w.data(), wdot ? wdot->data() : nullptr};
}

Index output_of(const Block& b, Index output) {
  if (output < 0 || output >= b.outputs()) reject("output", "does not exist");
  return output;
}

// A sampled block together with its memory.
struct Ticker {
  Block block;
  Vector memory, work, u;

  explicit Ticker(const Block& b)
      : block(b), memory(memory_size(b)), work(work_size(b)), u(Vector::Zero(b.outputs())) {
    if (b.continuous()) reject("block", "is continuous: it has no sampling instants");
    start(block, memory.data());
  }
};

void bind_block(py::module_& m) {
  py::enum_<Saturation>(m, "Saturation", "Mode of a limited output of a continuous controller.")
      .value("free", Saturation::free)
      .value("high", Saturation::high)
      .value("low", Saturation::low)
      .value("high_frozen", Saturation::high_frozen)
      .value("low_frozen", Saturation::low_frozen)
      .value("high_following", Saturation::high_following)
      .value("low_following", Saturation::low_following);
  using Trigger = BlockGuard::Trigger;
  py::enum_<Trigger>(m, "BlockTrigger", "What a guard of a limited output says when it fires.")
      .value("exceeds_max", Trigger::exceeds_max)
      .value("exceeds_min", Trigger::exceeds_min)
      .value("returns", Trigger::returns)
      .value("turns_outwards", Trigger::turns_outwards)
      .value("turns_inwards", Trigger::turns_inwards);
  py::class_<BlockGuard>(m, "BlockGuard")
      .def_readonly("trigger", &BlockGuard::trigger)
      .def_readonly("z", &BlockGuard::z)
      .def_readonly("w", &BlockGuard::w)
      .def_readonly("wdot", &BlockGuard::wdot)
      .def_readonly("offset", &BlockGuard::offset);
  py::class_<AffineBlock>(m, "AffineBlock")
      .def_readonly("A", &AffineBlock::A)
      .def_readonly("B", &AffineBlock::B)
      .def_readonly("b", &AffineBlock::b)
      .def_readonly("C", &AffineBlock::C)
      .def_readonly("D", &AffineBlock::D)
      .def_readonly("d", &AffineBlock::d);
  py::class_<Block>(m, "Block", "A controller in the form in which the engine runs it.")
      .def_property_readonly("inputs", &input_names)
      .def_readonly("A", &Block::A)
      .def_readonly("B", &Block::B)
      .def_readonly("C", &Block::C)
      .def_readonly("D", &Block::D)
      .def_readonly("L", &Block::L)
      .def_readonly("lo", &Block::lo)
      .def_readonly("hi", &Block::hi)
      .def_readonly("period", &Block::period)
      .def_readonly("delay", &Block::delay)
      .def_readonly("quantum", &Block::quantum)
      .def_readonly("initial", &Block::initial)
      .def_readonly("integrator", &Block::integrator)
      .def_property_readonly("needs_input_rates", &Block::needs_input_rates)
      .def_property_readonly("is_program", [](const Block& b) { return b.program.has_value(); })
      .def(
          "affine",
          [](const Block& b, const std::vector<Saturation>& modes) {
            if (static_cast<Index>(modes.size()) != b.outputs()) reject("modes", "must be one per output");
            return affine(b, modes);
          },
          "modes"_a)
      .def(
          "guards", [](const Block& b, Index j, Saturation s) { return guards(b, output_of(b, j), s); },
          "output"_a, "mode"_a)
      .def(
          "after",
          [](const Block& b, Index j, Saturation mode, Trigger fired, const Vector& z, const Vector& w,
             const std::optional<Vector>& wdot) {
            return after(b, output_of(b, j), mode, fired, z.data(), read(b, z, w, wdot));
          },
          "output"_a, "mode"_a, "fired"_a, "z"_a, "w"_a, "wdot"_a = py::none())
      .def(
          "decide",
          [](const Block& b, Index j, Saturation before, const Vector& z, const Vector& w,
             const std::optional<Vector>& wdot) {
            return decide(b, output_of(b, j), before, z.data(), read(b, z, w, wdot));
          },
          "output"_a, "before"_a, "z"_a, "w"_a, "wdot"_a = py::none())
      .def(
          "settle",
          [](const Block& b, Index j, Saturation mode, const Vector& w, Vector z) {
            need("z", z, b.states());
            need("w", w, b.D.cols());
            settle(b, output_of(b, j), mode, w.data(), z.data());
            return z;
          },
          "output"_a, "mode"_a, "w"_a, "z"_a,
          "The states with the integral of a following output filled in.");
  py::class_<Ticker>(m, "Ticker", "A sampled controller with its memory, run by hand.")
      .def(py::init<const Block&>(), "block"_a)
      .def_readonly("memory", &Ticker::memory)
      .def(
          "step",
          [](Ticker& k, double t, const Vector& samples) {
            need("samples", samples, static_cast<Index>(k.block.inputs.size()));
            tick(k.block, t, samples.data(), k.memory.data(), k.work.data(), k.u.data());
            return k.u;
          },
          "t"_a, "samples"_a,
          "One sampling instant: samples in the order of block.inputs; returns the outputs.");
}

} // namespace

void bind_control(py::module_& m) {
  py::class_<ControlOptions>(m, "ControlOptions", "What all controllers have: limits, sampling, anti-windup.")
      .def(py::init(&options), "min"_a, "max"_a, "anti_windup"_a, "tracking_time"_a, "period"_a, "delay"_a,
           "quantum"_a, "rate"_a);
  bind_block(m);
  py::class_<Controller>(m, "Controller", "A controller as a value; see stickslip.control.")
      .def_static(
          "p",
          [](double kp, double feedforward, const std::string& controls, const ControlOptions& o) {
            return checked(P{kp, feedforward, quantity(controls)}, o);
          },
          "kp"_a, "feedforward"_a, "controls"_a, "options"_a)
      .def_static(
          "pi",
          [](double kp, double tn, double feedforward, const std::string& controls, const ControlOptions& o) {
            return checked(PI{kp, tn, feedforward, quantity(controls)}, o);
          },
          "kp"_a, "tn"_a, "feedforward"_a, "controls"_a, "options"_a)
      .def_static(
          "pid",
          [](double kp, double ki, double kd, double tf, const std::string& of, const ControlOptions& o) {
            const auto d = choose<DerivativeOf>(
                "derivative_of", of,
                {{"measurement", DerivativeOf::measurement}, {"error", DerivativeOf::error}});
            return checked(PID{kp, ki, kd, tf, d}, o);
          },
          "kp"_a, "ki"_a, "kd"_a, "tf"_a, "derivative_of"_a, "options"_a)
      .def_static(
          "cascade",
          [](double kv, double kp, double tn, const std::string& position, double velocity_feedforward,
             double force_feedforward, const ControlOptions& o) {
            const auto side =
                choose<Side>("position", position, {{"motor", Side::motor}, {"load", Side::load}});
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
