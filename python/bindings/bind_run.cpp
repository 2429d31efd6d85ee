// Runs and what they leave behind.
#include "bind.hpp"
#include "codec.hpp"

#include "run/rest.hpp"
#include "run/simulate.hpp"
#include "timestepping/time_stepping.hpp"

#include <algorithm>

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// x' in the modes that hold at the time `held` of a run, at any time and state; and its derivatives by x and t.
Vector rate(const Trajectory& r, double held, double t, const Vector& x) {
  const System& sys = r.system();
  Scratch w(sys);
  signal_values(sys, t, w.s.data());
  evaluate(sys, *r.segments[r.segment_at(held)].regime, t, x.data(), w.s.data(), w.xdot.data(),
           w.force.data(), w);
  return w.xdot;
}

std::pair<Matrix, Vector> slopes(const Trajectory& r, double held, double t, const Vector& x) {
  const System& sys = r.system();
  Scratch w(sys);
  signal_values(sys, t, w.s.data());
  signal_rates(sys, t, w.rate.data());
  Matrix J;
  Vector dfdt;
  jacobian(sys, *r.segments[r.segment_at(held)].regime, t, x.data(), w.s.data(), w.rate.data(), J, dfdt, w);
  return {J, dfdt};
}

Trajectory run(const std::shared_ptr<Compiled>& compiled, const State& state, double t_end, double rtol,
               const Vector& atol, Method method, double max_step, std::int64_t max_events, double max_time,
               double theta, Keep keep) {
  Options o;
  o.t_end = t_end;
  o.rtol = rtol;
  o.atol = atol;
  o.method = method;
  o.max_step = max_step;
  o.max_events = max_events;
  o.max_time = max_time;
  o.keep = keep;
  o.theta = theta;
  // The interpreter is needed only to look for Ctrl-C, a few times per second.
  const std::function<bool()> stop = [] {
    py::gil_scoped_acquire hold;
    return PyErr_CheckSignals() != 0;
  };
  Trajectory out;
  const auto go = o.method == Method::time_stepping ? &time_stepping : &simulate;
  if (compiled->system.needs_interpreter) {
    out = go(compiled, state, o, stop);
  } else {
    py::gil_scoped_release release;
    out = go(compiled, state, o, stop);
  }
  if (out.status == Status::interrupted) throw py::error_already_set();
  return out;
}

py::dict sampled(const Trajectory& run, const std::vector<double>& times) {
  Samples s;
  if (run.system().needs_interpreter) {
    s = sample(run, times);
  } else {
    py::gil_scoped_release release;
    s = sample(run, times);
  }
  // Handed over without a copy: NumPy arrays of shape (things, times) that own the Eigen matrices.
  return py::dict("y"_a = std::move(s.y), "rate"_a = std::move(s.rate), "force"_a = std::move(s.force),
                  "velocity"_a = std::move(s.velocity), "load"_a = std::move(s.load),
                  "limit_lo"_a = std::move(s.limit_lo), "limit_hi"_a = std::move(s.limit_hi),
                  "signals"_a = std::move(s.signals), "mode"_a = std::move(s.mode),
                  "gap"_a = std::move(s.gap), "gap_rate"_a = std::move(s.gap_rate),
                  "contact_mode"_a = std::move(s.contact_mode),
                  "normal_impulse"_a = std::move(s.normal_impulse), "output"_a = std::move(s.loops.output),
                  "reference"_a = std::move(s.loops.reference), "error"_a = std::move(s.loops.error),
                  "limit"_a = std::move(s.loops.mode));
}

py::dict balance(const Trajectory& run, const std::vector<double>& times) {
  EnergyBalance e;
  if (run.system().needs_interpreter) {
    e = energy(run, times);
  } else {
    py::gil_scoped_release release;
    e = energy(run, times);
  }
  return py::dict("kinetic"_a = e.kinetic, "elastic"_a = e.elastic, "drives"_a = e.drives,
                  "damping"_a = e.damping, "friction"_a = e.friction, "surfaces"_a = e.surfaces,
                  "walls"_a = e.walls, "impacts"_a = e.impacts, "controllers"_a = e.controllers,
                  "imbalance"_a = e.imbalance, "residual"_a = e.residual);
}

py::list regimes(const Trajectory& run) {
  py::list out;
  static constexpr const char* names[] = {"exact", "explicit", "stiff", "time stepping", "settled"};
  for (const auto& [regime, kind] : run.used) {
    std::vector<int> contacts;
    for (const Mode one : regime->modes.contact) contacts.push_back(static_cast<int>(one));
    out.append(py::make_tuple(friction_modes(regime->modes), contacts, names[static_cast<int>(kind)]));
  }
  return out;
}

// time, element, modes before and after, cause, rule, solutions, ambiguous, instant, impact, impulses, loss
py::list events(const Trajectory& run) {
  py::list out;
  for (const Event& e : run.events)
    out.append(py::make_tuple(e.time, e.element, static_cast<int>(e.before), static_cast<int>(e.after),
                              cause_of(run.system(), e), rule_of(e), e.solutions, e.ambiguous, e.instant,
                              e.impact, e.normal_impulse, e.tangential_impulse, e.loss));
  return out;
}

} // namespace

void bind_run(py::module_& m) {
  py::enum_<Method>(m, "Method")
      .value("auto", Method::automatic)
      .value("exact", Method::exact)
      .value("explicit", Method::explicit_pair)
      .value("stiff", Method::stiff)
      .value("time_stepping", Method::time_stepping);

  py::enum_<Keep>(m, "Keep")
      .value("segments", Keep::segments)
      .value("events", Keep::events)
      .value("nothing", Keep::nothing);

  py::class_<State>(m, "State")
      .def_readonly("t", &State::t)
      .def_readonly("x", &State::x)
      .def_property_readonly("modes", [](const State& s) { return friction_modes(s.modes); })
      .def("__eq__", [](const State& a, const State& b) { return a == b; })
      .def(py::pickle([](const State& s) { return pack(s); }, &unpack_state));

  py::class_<Trajectory>(m, "Trajectory")
      .def_readonly("t_begin", &Trajectory::t_begin)
      .def_readonly("t_end", &Trajectory::t_end)
      .def_property_readonly("events", &events)
      .def_readonly("event_count", &Trajectory::event_count)
      .def_property_readonly("keeps_segments", [](const Trajectory& r) { return r.kept == Keep::segments; })
      .def_readonly("state", &Trajectory::state)
      .def_property_readonly("message", &Trajectory::full_message)
      .def_readonly("steps", &Trajectory::steps)
      .def_readonly("evaluations", &Trajectory::evaluations)
      .def_property_readonly("status", [](const Trajectory& r) { return std::string(name(r.status)); })
      .def_property_readonly("regimes", &regimes)
      .def("step_times", &Trajectory::step_times)
      .def(
          "stuck_for_good",
          [](const Trajectory& r, double t) {
            const Segment& seg = r.segments[r.segment_at(t)];
            Vector x(r.system().nx);
            r.state_at(seg, t, x.data());
            return stuck_for_good(r.system(), *seg.regime, t, x.data());
          },
          "t"_a)
      .def("pack", [](const Trajectory& r) { return pack(r); })
      .def_static("unpack", &unpack_trajectory, "compiled"_a, "saved"_a)
      .def("rate", &rate, "held"_a, "t"_a, "x"_a)
      .def("jacobian", &slopes, "held"_a, "t"_a, "x"_a)
      .def("sample", &sampled, "times"_a)
      .def("energy", &balance, "times"_a);

  m.def("simulate", &run, "compiled"_a, "state"_a, "t_end"_a, "rtol"_a, "atol"_a, "method"_a, "max_step"_a,
        "max_events"_a, "max_time"_a, "theta"_a = 0.5, py::arg_v("keep", Keep::segments, "Keep.segments"));
}

} // namespace stickslip::bindings
