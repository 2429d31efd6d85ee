// The description of a machine, and what compiling makes of it.
#include "bind.hpp"
#include "codec.hpp"
#include "codec_fields.hpp"
#include "description.hpp"

#include "dynamics/state.hpp"
#include "model/linear_part.hpp"
#include "model/paths.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

Automaton automaton(double lag, double dwell, double travel, double surface_damping, double load_factor) {
  return {lag, dwell, travel, surface_damping, load_factor};
}

py::list variables(const Compiled& c) {
  py::list out;
  for (const Variable& v : c.system.variables) {
    py::list terms;
    for (const VariableTerm& t : v.terms)
      terms.append(py::make_tuple(word(t.from), t.index, t.part, t.factor));
    out.append(py::make_tuple(v.name, word(v.from), v.index, v.part, terms));
  }
  return out;
}

} // namespace

void bind_model(py::module_& m) {
  py::class_<Automaton>(m, "Automaton")
      .def(py::init(&automaton), "lag"_a = 0.0, "dwell"_a = 0.0, "travel"_a = 0.0, "surface_damping"_a = 0.0,
           "load_factor"_a = 0.0);

  py::class_<Compiled, std::shared_ptr<Compiled>>(m, "Compiled")
      .def_property_readonly(
          "states", [](const Compiled& c) -> const std::vector<std::string>& { return c.system.states; })
      .def_property_readonly(
          "coordinates",
          [](const Compiled& c) -> const std::vector<std::string>& { return c.system.coordinates; })
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
      .def_property_readonly("drives",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const System::Drive& d : c.system.drives) names.push_back(d.name);
                               return names;
                             })
      .def_property_readonly("signals",
                             [](const Compiled& c) -> const std::vector<Signal>& { return c.system.signals; })
      .def_property_readonly("quantities",
                             [](const Compiled& c) { // exponents of kg, m, s and rad
                               py::dict out;
                               for (const Variable& v : c.system.variables) {
                                 const Quantity& q = v.quantity;
                                 out[py::str(v.name)] =
                                     py::make_tuple(int{q.kg}, int{q.m}, int{q.s}, int{q.rad});
                               }
                               return out;
                             })
      .def_property_readonly("variables", &variables,
                             "Name, where it is read from, index, part, terms of a sum.")
      .def("linear_part",
           [](const Compiled& c) { // x' of the plant with controllers off their limits and without friction
             const auto limits = static_cast<std::size_t>(c.system.limits);
             return linear_part(c.system, std::vector<Saturation>(limits, Saturation::free)).A;
           })
      .def(
          "initial_state",
          [](const Compiled& c, double t0, const Vector& x0) { return initial_state(c.system, t0, x0); },
          "t0"_a, "x0"_a);

  py::class_<Description, std::shared_ptr<Description>>(m, "Machine", "The one description of a machine.")
      .def(py::init([](const std::string& kind, py::dict fields) {
             fields["kind"] = kind;
             AnyPlant plant;
             unpack("plant", fields, plant);
             return Description(Machine(std::move(plant)));
           }),
           "kind"_a, "fields"_a)
      .def("copy", [](const Description& self) { return Description(self.machine); })
      .def(
          "__eq__", [](const Description& a, const Description& b) { return a.machine == b.machine; },
          py::is_operator())
      .def("pack", [](const Description& self) { return pack(self.machine); })
      .def_static(
          "unpack", [](const py::dict& saved) { return Description(unpack_machine(saved)); }, "saved"_a)
      .def_readwrite("shared", &Description::shared)
      .def(
          "add",
          [](Description& self, const std::string& kind, py::dict fields) {
            fields["kind"] = kind;
            Element element;
            unpack("element", fields, element);
            self.add(std::move(element));
          },
          "kind"_a, "fields"_a)
      .def(
          "has", [](const Description& self, const std::string& name) { return self.machine.has(name); },
          "name"_a)
      .def(
          "names",
          [](const Description& self, const std::vector<std::string>& kinds) {
            std::vector<std::string> names;
            for (const Element& e : self.machine.elements)
              std::visit(
                  [&](const auto& x) {
                    if constexpr (requires { x.name; })
                      if (holds(kinds, Kind<Element>::list[e.index()])) names.push_back(x.name);
                  },
                  e);
            return names;
          },
          "kinds"_a, "Names of the elements of these kinds, in the order of adding.")
      .def_property_readonly("coordinates",
                             [](const Description& self) {
                               const Plant* p = self.machine.mechanical();
                               return p ? p->names : std::vector<std::string>();
                             })
      .def_property_readonly("plant",
                             [](const Description& self) { return Packer{false}(self.machine.plant); })
      .def_property_readonly("elements",
                             [](const Description& self) { return Packer{false}(self.machine.elements); })
      .def_property_readonly("parameters",
                             [](const Description& self) {
                               Machine copy = self.machine;
                               std::vector<std::string> names;
                               for (const Path& p : paths(copy)) names.push_back(p.name);
                               return names;
                             })
      .def("compile", [](Description& self) { return self.compile(); });
}

} // namespace stickslip::bindings
