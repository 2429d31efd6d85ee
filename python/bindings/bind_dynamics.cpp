// Compiled machines, and the states of their runs.
#include "bind.hpp"
#include "codec.hpp"
#include "description.hpp"
#include "dynamics/constraints.hpp"

#include "dynamics/state.hpp"
#include "model/linear_part.hpp"
#include "model/smooth.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

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

void bind_dynamics(py::module_ m) {
  py::class_<State>(m, "State")
      .def_readonly("t", &State::t)
      .def_readonly("x", &State::x)
      .def_property_readonly("modes", [](const State& s) { return friction_modes(s.modes); })
      .def("__eq__", [](const State& a, const State& b) { return a == b; })
      .def("__repr__",
           [](const State& s) { return py::str("State(t={} s, {} values)").format(s.t, s.x.size()); })
      .def(py::pickle([](const State& s) { return pack(s); }, &unpack_state));

  py::class_<Compiled, std::shared_ptr<Compiled>>(m, "Compiled")
      .def_property_readonly(
          "states", [](const Compiled& c) -> const std::vector<std::string>& { return c.system.states; })
      .def_property_readonly("start", [](const Compiled& c) { return c.system.start; })
      .def_property_readonly(
          "coordinates",
          [](const Compiled& c) -> const std::vector<std::string>& { return c.system.coordinates; })
      .def_property_readonly("friction",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Friction& p : c.system.friction) names.push_back(p.name);
                               return names;
                             })
      .def_property_readonly(
          "contacts",
          [](const Compiled& c) {
            std::vector<std::pair<std::string, Index>> names; // with the number of its friction element
            for (const Contact& k : c.system.contacts) names.emplace_back(k.name, k.friction);
            return names;
          })
      .def_property_readonly("clutches",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Contact& one : c.system.contacts)
                                 if (one.of_velocity) names.push_back(one.name);
                               return names;
                             })
      .def_property_readonly("compliances",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Contact& k : c.system.contacts)
                                 if (k.yields()) names.push_back(k.name);
                               return names;
                             })
      .def_property_readonly("nominal", [](const Compiled& c) { return c.system.nominal; })
      .def_property_readonly("time_scale", [](const Compiled& c) { return c.system.time_scale; })
      .def_property_readonly("compensators",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Friction& p : c.system.friction)
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
      .def_property_readonly("sampling_periods",
                             [](const Compiled& c) { // of each controller; 0: it is continuous
                               std::vector<double> periods;
                               for (const Loop& l : c.system.loops)
                                 periods.push_back(l.block.continuous() ? 0.0 : l.block.period);
                               return periods;
                             })
      .def_property_readonly("reads_time",
                             [](const Compiled& c) { // formulas of the motion do
                               const Smooth* const formulas = c.system.smooth.get();
                               return formulas != nullptr &&
                                      std::count(formulas->inputs.begin(), formulas->inputs.end(), -1) > 0;
                             })
      .def_property_readonly("springs",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Spring& p : c.system.springs) names.push_back(p.name);
                               return names;
                             })
      .def_property_readonly("completes_start", [](const Compiled& c) { return completes_start(c.system); })
      .def_property_readonly("constraints",
                             [](const Compiled& c) {
                               std::vector<std::string> names;
                               for (const Constraint& one : c.system.constraints.all)
                                 names.push_back(one.name);
                               return names;
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
                             "Tuples: name, source of the value, index, component, terms of a sum.")
      .def("linear_part",
           [](const Compiled& c) { // x' of the plant with controllers off their limits and without friction
             linear_only(c.system, "its linear part");
             return linear_part(c.system, modes_at_zero(c.system)).A;
           })
      .def("free_states",
           [](const Compiled& c) { // states that constraints leave independent, and all states by these
             const System& sys = c.system;
             Matrix all = Matrix::Identity(sys.nx, sys.nx);
             const Index n = sys.n_coordinates;
             std::vector<bool> depends(static_cast<std::size_t>(sys.nx));
             for (const auto& [of, first] : {std::pair{&sys.constraints.positions, Index{0}},
                                             std::pair{&sys.constraints.velocities, n}})
               for (Index k = 0; k < of->which.size(); ++k) {
                 all.row(first + of->which[k]).setZero();
                 all.row(first + of->which[k]).segment(first, n) = of->others.row(k);
                 depends[static_cast<std::size_t>(first + of->which[k])] = true;
               }
             std::vector<Index> free;
             for (Index i = 0; i < sys.nx; ++i)
               if (!depends[static_cast<std::size_t>(i)]) free.push_back(i);
             return std::pair{free, Matrix(all(Eigen::all, free))};
           })
      .def_property_readonly("inverse_mass", // that constraints leave; empty without
                             [](const Compiled& c) { return c.system.constraints.inverse_mass; })
      .def(
          "initial_state",
          [](const Compiled& c, double t0, const Vector& x0) { return initial_state(c.system, t0, x0); },
          "t0"_a, "x0"_a);

  m.def(
      "compile", [](Description& machine) { return machine.compile(); }, "machine"_a,
      "Return the compiled machine; the description keeps it for further calls.");
}

} // namespace stickslip::bindings
