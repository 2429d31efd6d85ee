// What a run amounts to at given times.
#include "bind.hpp"
#include "times.hpp"

#include "run/samples.hpp"

#include <functional>

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// A group of samples as a NumPy array (things, times) on the memory of the samples. Laws that are Python functions
// take the interpreter when they need it.
template <class Group> auto group(Group read) {
  return [read](Samples& s) -> decltype(auto) {
    const py::gil_scoped_release release;
    return std::invoke(read, s);
  };
}

template <class Member> auto of_loops(Member member) {
  return [member](Samples& s) -> decltype(auto) {
    const py::gil_scoped_release release;
    return (s.loops().*member);
  };
}

} // namespace

void bind_samples(py::module_ m) {
  py::class_<Samples>(m, "Samples")
      .def(py::init([](std::shared_ptr<const Trajectory> run, const Times& times) {
             return std::make_unique<Samples>(std::move(run), values(times));
           }),
           "run"_a, "times"_a)
      .def_property_readonly("states", group(&Samples::states))
      .def_property_readonly("rates", group(&Samples::rates))
      .def_property_readonly("forces", group(&Samples::forces))
      .def_property_readonly("velocities", group(&Samples::velocities))
      .def_property_readonly("loads", group(&Samples::loads))
      .def_property_readonly("lower_limits", group(&Samples::lower_limits))
      .def_property_readonly("upper_limits", group(&Samples::upper_limits))
      .def_property_readonly("modes", group(&Samples::modes))
      .def_property_readonly("gaps", group(&Samples::gaps))
      .def_property_readonly("gap_rates", group(&Samples::gap_rates))
      .def_property_readonly("contact_modes", group(&Samples::contact_modes))
      .def_property_readonly("normal_impulses", group(&Samples::normal_impulses))
      .def_property_readonly("spring_forces", group(&Samples::spring_forces))
      .def_property_readonly("elongations", group(&Samples::elongations))
      .def_property_readonly("elongation_rates", group(&Samples::elongation_rates))
      .def_property_readonly("spring_modes", group(&Samples::spring_modes))
      .def_property_readonly("outputs", of_loops(&LoopSamples::output))
      .def_property_readonly("references", of_loops(&LoopSamples::reference))
      .def_property_readonly("errors", of_loops(&LoopSamples::error))
      .def_property_readonly("output_modes", of_loops(&LoopSamples::mode));
}

} // namespace stickslip::bindings
