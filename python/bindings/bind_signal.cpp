// Functions of time.
#include "bind.hpp"
#include "times.hpp"

#include "core/error.hpp"
#include "signal/shapes.hpp"
#include "signal/signal.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <array>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace py = pybind11;
using namespace pybind11::literals;

namespace stickslip::bindings {

namespace {

py::array_t<double> values_of(const Signal& s, const Times& t, int order) {
  py::array_t<double> out(std::vector<py::ssize_t>(t.shape(), t.shape() + t.ndim()));
  const double* in = t.data();
  double* to = out.mutable_data();
  for (py::ssize_t i = 0; i < t.size(); ++i) to[i] = derivative(s, in[i], order);
  return out;
}

py::array_t<double> coefficients(const Signal& s, double t, int count) {
  if (count < 0) reject("count", count, ">= 0");
  py::array_t<double> out(count);
  taylor(s, t, count, out.mutable_data());
  return out;
}

std::vector<double> breakpoints(const Signal& s) {
  std::vector<double> out;
  for (Index i = 1; i < s.pieces.size(); ++i) out.push_back(s.pieces[i].start);
  return out;
}

// Consistent with ==: std::hash gives 0.0 and -0.0 the same value.
std::size_t hash(const Signal& s) {
  std::size_t h = std::hash<std::string>()(s.input);
  const auto mix = [&](double x) { h = h * 1099511628211ULL ^ std::hash<double>()(x); };
  for (const Piece& p : s.pieces) {
    mix(p.start);
    for (double c : p.c) mix(c);
    for (const Harmonic& w : p.harmonics) mix(w.amplitude), mix(w.omega), mix(w.phase);
  }
  if (s.repeats > 0) mix(s.period);
  return h;
}

using State = py::typing::Tuple<py::object, py::ellipsis>;

using Wave = std::array<double, 3>;                                    // amplitude, omega, phase
using Row = std::tuple<double, double, Polynomial, std::vector<Wave>>; // start, anchor, polynomial, harmonics

std::vector<Row> pieces_of(const Signal& s) {
  std::vector<Row> rows;
  for (const Piece& p : s.pieces) {
    std::vector<Wave> waves;
    for (const Harmonic& h : p.harmonics) waves.push_back({h.amplitude, h.omega, h.phase});
    rows.emplace_back(p.start, p.anchor, p.c, std::move(waves));
  }
  return rows;
}

Signal of_pieces(const std::vector<Row>& rows) {
  Signal s;
  for (const auto& [start, anchor, c, waves] : rows) {
    Piece& p = s.pieces.emplace_back();
    p.start = start, p.anchor = anchor, p.c = c;
    for (const auto& [amplitude, omega, phase] : waves) p.harmonics.push_back({amplitude, omega, phase});
  }
  normalise(s);
  return s;
}

State pack(const Signal& s) {
  py::list pieces;
  for (const Piece& p : s.pieces) {
    py::list harmonics;
    for (const Harmonic& h : p.harmonics) harmonics.append(py::make_tuple(h.amplitude, h.omega, h.phase));
    pieces.append(py::make_tuple(p.start, p.anchor, p.c, harmonics));
  }
  return py::make_tuple(pieces, s.input, s.input_gain, s.input_default, s.period, s.repeats);
}

Signal unpack(const State& state) {
  if (state.size() != 6) throw py::value_error("not the state of a signal");
  Signal s;
  for (const py::handle item : state[0].cast<py::list>()) {
    const auto piece = item.cast<py::tuple>();
    Piece& p = s.pieces.emplace_back();
    p.start = piece[0].cast<double>();
    p.anchor = piece[1].cast<double>();
    p.c = piece[2].cast<Polynomial>();
    for (const py::handle wave : piece[3].cast<py::list>()) {
      const auto h = wave.cast<std::array<double, 3>>();
      p.harmonics.push_back({h[0], h[1], h[2]});
    }
  }
  s.input = state[1].cast<std::string>();
  s.input_gain = state[2].cast<double>();
  s.input_default = state[3].cast<double>();
  s.period = state[4].cast<double>();
  s.repeats = state[5].cast<Index>();
  return s;
}

Signal samples(const VectorRef& t, const VectorRef& y, const std::string& kind) {
  if (kind == "linear") return samples_signal(t, y, Interpolation::linear);
  if (kind == "cubic") return samples_signal(t, y, Interpolation::cubic);
  if (kind == "hold") return samples_signal(t, y, Interpolation::hold);
  reject("kind", "= '" + kind + "' is not allowed: it must be 'linear', 'cubic' or 'hold'");
}

} // namespace

void bind_signal(py::module_ m) {
  py::class_<Signal>(m, "Signal", "A compiled function of time: polynomial pieces plus harmonics.")
      .def_static(
          "constant", [](double v) { return constant_signal(finite("value", v)); }, "value"_a)
      .def_static("ramp", &ramp_signal, "slope"_a, "start"_a, "offset"_a, "stop"_a)
      .def_static("step", &step_signal, "value"_a, "start"_a, "before"_a)
      .def_static("sine", &sine_signal, "amplitude"_a, "frequency"_a, "phase"_a, "offset"_a, "start"_a)
      .def_static("smooth_step", &smooth_step_signal, "value"_a, "start"_a, "duration"_a, "before"_a)
      .def_static("piecewise", &piecewise_signal, "times"_a, "values"_a)
      .def_static("samples", &samples, "t"_a, "values"_a, "kind"_a)
      .def_static("input", &input_signal, "name"_a, "default"_a)
      .def_static(
          "move",
          [](double d, double v, double a, std::optional<double> j, double start, double offset) {
            return move_signal({d, v, a, j, start, offset});
          },
          "distance"_a, "velocity"_a, "acceleration"_a, "jerk"_a, "start"_a, "offset"_a)
      .def_static(
          "move_plan",
          [](double d, double v, double a, std::optional<double> j) {
            const MovePlan p = plan({d, v, a, j, 0.0, 0.0});
            return std::array<double, 3>{p.duration(), p.velocity, p.acceleration};
          },
          "distance"_a, "velocity"_a, "acceleration"_a, "jerk"_a,
          "Duration, peak velocity and peak acceleration of a move.")
      .def_static("of_pieces", &of_pieces, "pieces"_a,
                  "Make a signal from pieces: start, anchor and coefficients of the polynomial, harmonics "
                  "(amplitude, omega, phase).")
      .def_property_readonly("pieces", &pieces_of)
      .def_readonly("period", &Signal::period, "Period of a periodic signal; 0 otherwise.")
      .def_property_readonly(
          "begins",
          [](const Signal& s) {
            return s.repeats > 0 ? s.pieces[s.repeats].start : s.pieces.empty() ? 0.0 : s.pieces.back().start;
          },
          "Time at which the first period starts; the last breakpoint of a signal without period.")
      .def("unrolled", &unrolled, "until"_a,
           "The same signal with its periods up to this time written out, without periodic continuation.")
      .def("repeating", &repeating, "start"_a, "period"_a,
           "The periodic continuation of the period that begins at `start`.")
      .def_static("common_period", &common_period, "a"_a, "b"_a,
                  "Least common multiple of two periods; 0 if they are not commensurable.")
      .def("value", py::overload_cast<const Signal&, double, int>(&derivative), "t"_a, "order"_a = 0)
      .def("values", &values_of, "t"_a, "order"_a = 0)
      .def("taylor", &coefficients, "t"_a, "count"_a)
      .def("differentiate", &differentiate, "order"_a = 1)
      .def("next_breakpoint", &next_breakpoint, "t"_a)
      .def_property_readonly("breakpoints", &breakpoints)
      .def_property_readonly("is_constant", &is_constant)
      .def_readonly("input_name", &Signal::input)
      .def_readonly("input_gain", &Signal::input_gain)
      .def_readonly("input_default", &Signal::input_default)
      .def(
          "value_with_input",
          [](const Signal& s, double t, double u) { return value(s, t) + input_correction(s, u); }, "t"_a,
          "u"_a)
      .def(
          "__add__", [](const Signal& a, const Signal& b) { return a + b; }, py::is_operator())
      .def(
          "__rmul__", [](const Signal& s, double k) { return finite("factor", k) * s; }, py::is_operator())
      .def("__eq__",
           [](const Signal& a, const py::object& b) {
             return py::isinstance<Signal>(b) && a == b.cast<const Signal&>();
           })
      .def("__hash__", &hash)
      .def(py::pickle(&pack, &unpack));
}

} // namespace stickslip::bindings
