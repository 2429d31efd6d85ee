// Machines, runs and what they leave behind.
#include "bind.hpp"
#include "codec.hpp"

#include "machine/system.hpp"
#include "simulate/rest.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

Automaton automaton(double lag, double dwell, double travel, double surface_damping, double load_factor) {
  return {lag, dwell, travel, surface_damping, load_factor};
}

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
  if (compiled->system.needs_interpreter) {
    out = simulate(compiled, state, o, stop);
  } else {
    py::gil_scoped_release release;
    out = simulate(compiled, state, o, stop);
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
    out.append(py::make_tuple(regime->modes.place, regime->modes.contact, names[static_cast<int>(kind)]));
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

void bind_simulate(py::module_& m) {
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

  py::class_<Automaton>(m, "Automaton")
      .def(py::init(&automaton), "lag"_a = 0.0, "dwell"_a = 0.0, "travel"_a = 0.0, "surface_damping"_a = 0.0,
           "load_factor"_a = 0.0);

  py::class_<Source>(m, "Source",
                     "What a controller reads: a form of states, a signal, outputs of other controllers.")
      .def(py::init([](std::string text, Vector state, const std::optional<Signal>& signal,
                       const std::vector<std::tuple<std::string, Index, double>>& outputs) {
             Source s{std::move(text), std::move(state), signal.value_or(Signal{}), {}};
             for (const auto& [name, output, factor] : outputs) s.outputs.push_back({name, output, factor});
             return s;
           }),
           "text"_a, "state"_a, "signal"_a, "outputs"_a);

  py::class_<Machine> described(m, "Machine");
  described
      .def(py::init([](Matrix mass, Matrix damping, Matrix stiffness, std::vector<std::string> names) {
             Machine out;
             out.plant = {std::move(mass), std::move(damping), std::move(stiffness), std::move(names)};
             return out;
           }),
           "mass"_a, "damping"_a, "stiffness"_a, "names"_a)
      .def("copy", [](const Machine& self) { return Machine(self); })
      .def(
          "__eq__", [](const Machine& a, const Machine& b) { return a == b; }, py::is_operator())
      .def("pack", [](const Machine& self) { return pack(self); })
      .def_static("unpack", &unpack_machine, "saved"_a)
      .def(
          "add_force",
          [](Machine& self, Vector direction, Signal signal) {
            self.forces.push_back({std::move(direction), std::move(signal)});
          },
          "direction"_a, "signal"_a)
      .def(
          "add_friction",
          [](Machine& self, std::string name, Vector direction, Law law, Automaton options, Signal load,
             Signal surface, Vector load_position, Vector load_velocity, Signal load_signal,
             std::string load_contact) {
            self.friction.push_back({std::move(name),
                                     std::move(direction),
                                     std::move(law),
                                     options,
                                     std::move(load),
                                     std::move(surface),
                                     std::move(load_position),
                                     std::move(load_velocity),
                                     std::move(load_signal),
                                     {},
                                     std::move(load_contact)});
          },
          "name"_a, "direction"_a, "law"_a, "automaton"_a, "normal_load"_a, "surface_velocity"_a,
          "load_position"_a, "load_velocity"_a, "load_signal"_a, "load_contact"_a)
      .def(
          "add_contact",
          [](Machine& self, std::string name, Vector normal, Vector tangent, Law friction, Automaton options,
             Signal gap, Signal surface, double restitution, bool newton) {
            self.contacts.push_back({std::move(name), std::move(normal), std::move(tangent),
                                     std::move(friction), options, std::move(gap), std::move(surface),
                                     restitution, newton ? ImpactRule::newton : ImpactRule::poisson});
          },
          "name"_a, "normal"_a, "tangent"_a, "friction"_a, "automaton"_a, "gap"_a, "surface_velocity"_a,
          "restitution"_a, "newton"_a);

  py::class_<State>(m, "State")
      .def_readonly("t", &State::t)
      .def_readonly("x", &State::x)
      .def_property_readonly("modes", [](const State& s) { return s.modes.place; })
      .def("__eq__", [](const State& a, const State& b) { return a == b; })
      .def(py::pickle([](const State& s) { return pack(s); }, &unpack_state));

  described.def_static(
      "from_matrices",
      [](Matrix A, std::vector<std::string> states) {
        Machine out;
        out.matrices = MatrixPlant{std::move(A), std::move(states)};
        return out;
      },
      "A"_a, "states"_a, "A plant in matrix notation.");
  described.def(
      "add_matrix_friction",
      [](Machine& self, std::string name, Vector row, Vector column, Law law, Automaton options, Signal load,
         Signal surface) {
        self.friction.push_back({std::move(name),
                                 std::move(row),
                                 std::move(law),
                                 options,
                                 std::move(load),
                                 std::move(surface),
                                 {},
                                 {},
                                 constant_signal(0.0),
                                 std::move(column),
                                 {}});
      },
      "name"_a, "row"_a, "column"_a, "law"_a, "automaton"_a, "normal_load"_a, "surface_velocity"_a);
  described.def(
      "add_controller",
      [](Machine& self, std::string name, Controller control, std::vector<Source> references,
         std::vector<Source> measurements, std::vector<Vector> directions) {
        self.controllers.push_back({std::move(name), std::move(control), std::move(references),
                                    std::move(measurements), std::move(directions)});
      },
      "name"_a, "control"_a, "references"_a, "measurements"_a, "directions"_a);

  described.def(
      "add_compensator",
      [](Machine& self, std::string name, Law law, Signal load, bool observer, double gain, Source reference,
         Source measurement, Vector direction) {
        self.compensators.push_back({std::move(name), std::move(law), std::move(load), observer, gain,
                                     std::move(reference), std::move(measurement), std::move(direction)});
      },
      "name"_a, "law"_a, "normal_load"_a, "observer"_a, "gain"_a, "reference"_a, "measurement"_a,
      "direction"_a);

  py::class_<Compiled, std::shared_ptr<Compiled>>(m, "Compiled")
      .def(py::init([](const Machine& machine) {
             auto c = std::make_shared<Compiled>();
             c->system = compile(machine);
             return c;
           }),
           "machine"_a)
      .def_property_readonly("states", [](const Compiled& c) { return c.system.states; })
      .def_property_readonly("places",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Place& p : c.system.places) names.push_back(p.name);
                               return names;
                             })
      .def_property_readonly(
          "contacts",
          [](const Compiled& c) {
            std::vector<std::pair<std::string, Index>> names; // with the number of its friction place
            for (const Contact& k : c.system.contacts) names.emplace_back(k.name, k.place);
            return names;
          })
      .def_property_readonly("nominal", [](const Compiled& c) { return c.system.nominal; })
      .def_property_readonly("compensators",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Place& p : c.system.places)
                                 if (p.compensator) names.push_back(p.name);
                               return names;
                             })
      .def_property_readonly(
          "controllers",
          [](const Compiled& c) { // name, number of outputs, follows a reference, measures
            py::list out;
            for (const Loop& l : c.system.loops)
              out.append(py::make_tuple(l.name, l.block.outputs(), l.has_reference, l.has_measured));
            return out;
          })
      .def("linear_part",
           [](const Compiled& c) { // x' of the plant with controllers off their limits and without friction
             return linear_part(c.system,
                                std::vector<std::int8_t>(static_cast<std::size_t>(c.system.limits), 0))
                 .A;
           })
      .def(
          "initial_state",
          [](const Compiled& c, double t0, const Vector& x0) { return initial_state(c.system, t0, x0); },
          "t0"_a, "x0"_a);

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
