// The description of a machine.
#include "bind.hpp"
#include "codec.hpp"
#include "description.hpp"

#include "model/paths.hpp"

#include <map>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

void bind_model(py::module_ m) {
  py::class_<Description, std::shared_ptr<Description>>(
      m, "Machine", "Description of a machine: plant, elements and controllers.")
      .def(py::init([](const std::string& kind, py::dict fields) {
             fields["kind"] = kind;
             return Description(machine_of(fields));
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
      .def_property(
          "scales", [](const Description& self) { return scales_of(self.machine); },
          [](Description& self, const py::dict& given) {
            self.set_scales(given.cast<std::map<std::string, double>>());
          },
          "Nominal sizes that the user has set, by the name of the state.")
      .def(
          "add",
          [](Description& self, const std::string& kind, py::dict fields) {
            fields["kind"] = kind;
            add_to(self, fields);
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
          "kinds"_a, "Names of the elements of these kinds, in the order in which they were added.")
      .def_property_readonly("coordinates",
                             [](const Description& self) {
                               const Plant* p = self.machine.mechanical();
                               return p ? p->names : List<std::string>();
                             })
      .def_property_readonly("plant", [](const Description& self) { return plant_of(self.machine); })
      .def_property_readonly("elements", [](const Description& self) { return elements_of(self.machine); })
      .def_property_readonly("numbers",
                             [](const Description& self) { // of all parameters; signals that vary have none
                               Machine copy = self.machine;
                               py::dict out;
                               for (const Path& p : paths(copy))
                                 if (p.number != nullptr)
                                   out[py::str(p.name)] = *p.number;
                                 else if (is_constant(*p.signal))
                                   out[py::str(p.name)] = value(*p.signal, 0.0);
                               return out;
                             })
      .def_property_readonly("parameters", [](const Description& self) { // exponents of kg, m, s and rad
        Machine copy = self.machine;
        py::dict out;
        for (const Path& p : paths(copy)) {
          const Quantity& q = p.quantity;
          out[py::str(p.name)] = py::make_tuple(int{q.kg}, int{q.m}, int{q.s}, int{q.rad});
        }
        return out;
      });
}

} // namespace stickslip::bindings
