// Machines linearised about a state.
#include "bind.hpp"

#include "linear/linearise.hpp"
#include "linear/operating_point.hpp"
#include "linear/statics.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <map>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

void bind_linear(py::module_ m) {
  py::class_<LinearMotion>(m, "LinearMotion")
      .def_readonly("rate", &LinearMotion::rate)
      .def_readonly("force", &LinearMotion::force)
      .def_readonly("sliding", &LinearMotion::sliding)
      .def_readonly("by_state", &LinearMotion::by_state)
      .def_readonly("by_time", &LinearMotion::by_time)
      .def_property_readonly("free",
                             [](const LinearMotion& l) -> const std::vector<Index>& { return l.free; })
      .def_readonly("all", &LinearMotion::all);

  py::class_<Statics>(m, "Statics")
      .def_property_readonly("holding",
                             [](const Statics& of) -> const std::vector<Index>& { return of.holding; })
      .def_property_readonly("closed",
                             [](const Statics& of) -> const std::vector<Index>& { return of.closed; })
      .def_readonly("rates", &Statics::rates)
      .def_readonly("equalities", &Statics::equalities)
      .def_readonly("inequalities", &Statics::inequalities);

  m.def(
      "is_linear", [](const Compiled& c) { return c.system.smooth == nullptr; }, "machine"_a,
      "True without elements that are functions of the motion.");
  m.def("statics", &statics, "machine"_a, "at"_a,
        "Equilibria: rows over states, holding forces, normal forces and 1.");
  m.def(
      "linearise",
      [](const std::shared_ptr<Compiled>& machine, const State& at, const Vector& x) {
        return linearise(machine, at, x);
      },
      "machine"_a, "at"_a, "x"_a, "The machine next to the states x, at the time and in the modes of `at`.");
  m.def(
      "with_modes",
      [](const std::shared_ptr<Compiled>& machine, const State& state,
         const std::map<std::string, int>& modes) {
        require_state_of(machine->system, state);
        State out = state;
        for (const auto& [name, mode] : modes)
          prescribe_mode(machine->system, out, name, static_cast<Mode>(mode));
        return out;
      },
      "machine"_a, "state"_a, "modes"_a, "The state with elements in other modes, by their names.");
  m.def("moved_state", &moved_state, "machine"_a, "state"_a, "t"_a, "x"_a,
        "The nearest state to these values that its modes admit.");
  m.def("state_within", &state_within, "run"_a, "t"_a, "A state within a run, for linearise().");
  m.def(
      "detents",
      [](const Compiled& c) {
        std::vector<bool> detents;
        for (const Friction& p : c.system.friction) detents.push_back(p.has_seat());
        return detents;
      },
      "machine"_a, "For each friction element: it is a detent, whose position determines its force.");
  m.def(
      "sticking",
      [](const Compiled& c) {
        std::vector<bool> sticks;
        for (const Friction& p : c.system.friction) sticks.push_back(p.traits.sticks);
        return sticks;
      },
      "machine"_a, "For each friction element: its law sticks.");
}

} // namespace stickslip::bindings
