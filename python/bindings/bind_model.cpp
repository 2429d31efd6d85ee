// The description of a machine, and what compiling makes of it.
#include "bind.hpp"
#include "codec.hpp"

#include "dynamics/compiled.hpp"
#include "dynamics/state.hpp"
#include "model/linear_part.hpp"
#include "model/system.hpp"

#include <optional>
#include <tuple>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

Automaton automaton(double lag, double dwell, double travel, double surface_damping, double load_factor) {
  return {lag, dwell, travel, surface_damping, load_factor};
}

} // namespace

void bind_model(py::module_& m) {
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
      .def_property_readonly(
          "states", [](const Compiled& c) -> const std::vector<std::string>& { return c.system.states; })
      .def_property_readonly("coordinates", [](const Compiled& c) { return c.system.coordinates; })
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
             const auto limits = static_cast<std::size_t>(c.system.limits);
             return linear_part(c.system, std::vector<Saturation>(limits, Saturation::free)).A;
           })
      .def(
          "initial_state",
          [](const Compiled& c, double t0, const Vector& x0) { return initial_state(c.system, t0, x0); },
          "t0"_a, "x0"_a);
}

} // namespace stickslip::bindings
