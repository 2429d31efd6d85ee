// Runs and what they leave behind.
#include "bind.hpp"
#include "codec.hpp"
#include "times.hpp"

#include "run/energy.hpp"
#include "run/rest.hpp"
#include "run/simulate.hpp"
#include "timestepping/time_stepping.hpp"

#include <functional>

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
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

Trajectory run(const std::shared_ptr<Compiled>& compiled, const State& state, const Options& o) {
  // The interpreter is needed only to look for Ctrl-C, a few times per second.
  const std::function<bool()> stop = [] {
    py::gil_scoped_acquire hold;
    return PyErr_CheckSignals() != 0;
  };
  Trajectory out;
  const auto go = [&] {
    return o.method == Method::time_stepping ? time_stepping(compiled, state, o, stop)
                                             : simulate(compiled, state, o, stop);
  };
  if (compiled->system.needs_interpreter) {
    out = go();
  } else {
    py::gil_scoped_release release;
    out = go();
  }
  if (out.status == Status::interrupted) throw py::error_already_set();
  return out;
}

py::dict balance(const Trajectory& run, const Times& at) {
  const std::vector<double> times = values(at);
  EnergyBalance e;
  {
    const py::gil_scoped_release release;
    e = energy(run, times);
  }
  return py::dict("kinetic"_a = std::move(e.kinetic), "elastic"_a = std::move(e.elastic),
                  "drives"_a = std::move(e.drives), "damping"_a = std::move(e.damping),
                  "friction"_a = std::move(e.friction), "surfaces"_a = std::move(e.surfaces),
                  "dampers"_a = std::move(e.dampers), "supports"_a = std::move(e.supports),
                  "compliances"_a = std::move(e.compliances), "walls"_a = std::move(e.walls),
                  "impacts"_a = std::move(e.impacts), "controllers"_a = std::move(e.controllers),
                  "constraints"_a = std::move(e.constraints), "imbalance"_a = std::move(e.imbalance));
}

double residual(const Trajectory& run) {
  const py::gil_scoped_release release;
  return energy_residual(run);
}

py::list regimes(const Trajectory& run) {
  py::list out;
  static constexpr const char* names[] = {"exact", "explicit", "stiff", "time stepping", "slow subspace"};
  for (const auto& [regime, kind] : run.used) {
    std::vector<int> contacts;
    for (const Mode one : regime->modes.contact) contacts.push_back(static_cast<int>(one));
    out.append(py::make_tuple(friction_modes(regime->modes), contacts, names[static_cast<int>(kind)]));
  }
  return out;
}

// The table, and the words that its columns `cause` and `rule` number.
py::tuple events(const Trajectory& run) {
  const auto& rows = run.events.rows;
  return py::make_tuple(py::array_t<EventRow>(static_cast<py::ssize_t>(rows.size()), rows.data()),
                        run.events.causes, run.events.rules);
}

} // namespace

void bind_run(py::module_ m) {
  PYBIND11_NUMPY_DTYPE(EventRow, time, instant, solutions, normal_impulse, tangential_impulse, loss,
                       wall_work, element, cause, rule, before, after, ambiguous, impact);

  py::class_<Trajectory, std::shared_ptr<Trajectory>>(m, "Trajectory")
      .def_readonly("compiled", &Trajectory::compiled)
      .def_readonly("t_begin", &Trajectory::t_begin)
      .def_readonly("t_end", &Trajectory::t_end)
      .def_property_readonly("events", &events)
      .def_readonly("event_count", &Trajectory::event_count)
      .def_property_readonly("keeps_segments", [](const Trajectory& r) { return r.kept == Keep::segments; })
      .def_readonly("state", &Trajectory::state)
      .def_property_readonly("message", &Trajectory::full_message)
      .def_readonly("steps", &Trajectory::steps)
      .def_readonly("evaluations", &Trajectory::evaluations)
      .def_property_readonly("status", [](const Trajectory& r) { return std::string(word(r.status)); })
      .def_property_readonly("regimes", &regimes)
      .def("step_times", &Trajectory::step_times)
      .def(
          "sticks_permanently",
          [](const Trajectory& r, double t) {
            const Segment& seg = r.segments[r.segment_at(t)];
            Vector x(r.system().nx);
            r.state_at(seg, t, x.data());
            return sticks_permanently(r.system(), *seg.regime, t, x.data());
          },
          "t"_a)
      .def("pack", [](const Trajectory& r) { return pack(r); })
      .def_static("unpack", &unpack_trajectory, "compiled"_a, "saved"_a)
      .def("rate", &rate, "held"_a, "t"_a, "x"_a)
      .def("jacobian", &slopes, "held"_a, "t"_a, "x"_a)
      .def_property_readonly("energy_residual", &residual)
      .def("energy", &balance, "times"_a);

  bind_samples(m);
  m.def("simulate", &run, "compiled"_a, "state"_a, "options"_a);
}

} // namespace stickslip::bindings
