// Friction laws.
#include "bind.hpp"
#include "law_terms.hpp"

#include "friction/automaton.hpp"
#include "friction/law.hpp"
#include "friction/response.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <utility>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

using namespace pybind11::literals;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

Automaton automaton(double lag, double dead_time, double dwell, double travel, double surface_damping,
                    double load_factor) {
  return {lag, dead_time, dwell, travel, surface_damping, load_factor};
}

template <class F> Array map(const Array& v, F&& f) {
  Array out(std::vector<py::ssize_t>(v.shape(), v.shape() + v.ndim()));
  const double* in = v.data();
  double* to = out.mutable_data();
  for (py::ssize_t i = 0; i < v.size(); ++i) to[i] = f(in[i]);
  return out;
}

Array force(const Law& law, const Array& v, double normal_load) {
  non_negative("normal_load", normal_load);
  const LawTraits about_law = traits(law);
  return map(v, [&](double x) { return steady_force(law, about_law, x, normal_load); });
}

Array slope(const Law& law, const Array& v, double normal_load, int direction) {
  non_negative("normal_load", normal_load);
  const double load = normal_load > 0.0 ? normal_load : 1.0; // zero asks for the viscous part alone
  return map(v, [&](double x) {
    if (std::isnan(x)) return x;
    const Slopes s = steady_slopes(law, x, x == 0.0 ? direction : (x < 0.0 ? -1 : 1), load);
    return normal_load * s.dry_v + s.viscous_v;
  });
}

void check_states(const Law& law, const VectorRef& z, int direction) {
  if (z.size() != traits(law).states) reject("z", "must have one value per internal state");
  if (direction != 1 && direction != -1) reject("direction", direction, "1 or -1");
}

// dry, viscous, rates of the internal states
py::tuple evaluated(const Law& law, double v, int direction, const VectorRef& z, unsigned branch) {
  check_states(law, z, direction);
  Vector rates(z.size());
  const Force f = evaluate(law, v, direction, branch, z.data(), rates.data(), 1.0);
  return py::make_tuple(f.dry, f.viscous, rates);
}

// d dry/dv, d viscous/dv, d dry/dz, d zdot/dv, d zdot/dz
py::tuple linearised(const Law& law, double v, int direction, const VectorRef& z, unsigned branch) {
  check_states(law, z, direction);
  const Index n = z.size();
  Vector dry_z(n), zdot_v(n);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> zdot_z(n, n);
  const Slopes s =
      linearise(law, v, direction, branch, z.data(), 1.0, dry_z.data(), zdot_v.data(), zdot_z.data());
  return py::make_tuple(s.dry_v, s.viscous_v, dry_z, zdot_v, Matrix(zdot_z));
}

std::pair<double, double> rest_set(const Law& law, const VectorRef& z) {
  check_states(law, z, 1);
  const Interval i = rest_interval(law, z.data(), 1.0);
  return {i.lo, i.hi};
}

Vector rates_in_rest(const Law& law, double dry, const VectorRef& z) {
  check_states(law, z, 1);
  Vector rates(z.size());
  rest_rates(law, dry, z.data(), rates.data(), 1.0);
  return rates;
}

Vector guards_of(const Law& law, double v, int direction, const VectorRef& z, unsigned branch) {
  check_states(law, z, direction);
  Vector guards(traits(law).switches);
  switch_guards(law, v, direction, branch, z.data(), guards.data());
  return guards;
}

// velocity, force, work, states (one row per state)
py::tuple response(const Law& law, const Signal& velocity, const VectorRef& t, const VectorRef& initial,
                   double normal_load, double rtol) {
  Response r;
  {
    py::gil_scoped_release others;
    r = respond(law, velocity, t, initial, {normal_load, rtol});
  }
  return py::make_tuple(r.velocity, r.force, r.work, r.states);
}

} // namespace

void bind_friction(py::module_ m) {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const CurveError& e) {
      try {
        if (!e.cause) throw py::value_error(e.what());
        std::rethrow_exception(e.cause);
      } catch (py::error_already_set& cause) {
        py::raise_from(cause, PyExc_ValueError, e.what());
      } catch (const py::value_error&) {
        py::set_error(PyExc_ValueError, e.what());
      }
    }
  });

  py::class_<Automaton>(m, "Automaton")
      .def(py::init(&automaton), "lag"_a = 0.0, "dead_time"_a = 0.0, "dwell"_a = 0.0, "travel"_a = 0.0,
           "surface_damping"_a = 0.0, "load_factor"_a = 0.0);

  py::class_<LawTraits>(m, "LawTraits", "Properties of a law that are constant during a run.")
      .def_readonly("states", &LawTraits::states)
      .def_readonly("sticks", &LawTraits::sticks)
      .def_readonly("reversal_switches", &LawTraits::reversal_switches)
      .def_readonly("affine", &LawTraits::affine)
      .def_readonly("reads_load", &LawTraits::reads_load)
      .def_readonly("needs_interpreter", &LawTraits::needs_interpreter)
      .def_readonly("switches", &LawTraits::switches)
      .def_readonly("stiffness", &LawTraits::stiffness)
      .def_readonly("damping", &LawTraits::damping)
      .def_property_readonly("break_away",
                             [](const LawTraits& t) { return std::pair(t.break_away.lo, t.break_away.hi); });

  py::class_<Law>(m, "Law", "A sum of friction terms, each given as (kind, parameters).")
      .def(py::init(&make_law), py::arg("terms"))
      .def_property_readonly("terms", [](const Law& law) { return terms_of(law); })
      .def_property_readonly("values", [](const Law& law) { return terms_of(law, true); })
      .def_property_readonly("traits", [](const Law& law) { return traits(law); })
      .def_property_readonly("start", [](const Law& law) { return start_states(law); })
      .def_property_readonly("state_names", [](const Law& law) { return state_names(law); })
      .def_property_readonly("velocity_breakpoints", [](const Law& law) { return velocity_breakpoints(law); })
      .def("force", &force, py::arg("velocity"), py::arg("normal_load") = 1.0)
      .def("slope", &slope, py::arg("velocity"), py::arg("normal_load") = 1.0, py::arg("direction") = 1)
      .def("response", &response, py::arg("velocity"), py::arg("t"), py::arg("initial"),
           py::arg("normal_load"), py::arg("rtol"))
      .def("evaluate", &evaluated, py::arg("velocity"), py::arg("direction"), py::arg("z"),
           py::arg("branch") = 0U)
      .def("linearise", &linearised, py::arg("velocity"), py::arg("direction"), py::arg("z"),
           py::arg("branch") = 0U)
      .def("rest_interval", &rest_set, py::arg("z"))
      .def("rest_rates", &rates_in_rest, py::arg("dry"), py::arg("z"))
      .def("switch_guards", &guards_of, py::arg("velocity"), py::arg("direction"), py::arg("z"),
           py::arg("branch") = 0U)
      .def("__add__", [](const Law& a, const Law& b) { return a + b; })
      .def(
          "__eq__", [](const Law& a, const Law& b) { return a == b; }, py::is_operator())
      .def(py::pickle([](const Law& law) { return terms_of(law); },
                      [](const py::list& terms) { return make_law(terms); }));
}

} // namespace stickslip::bindings
