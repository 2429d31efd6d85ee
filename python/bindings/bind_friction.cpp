#include "bind.hpp"

#include "friction/law.hpp"
#include "friction/response.hpp"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>
#include <set>
#include <string>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// The one place where the public names of the laws are written down.
template <class X> constexpr const char* kind_of();
#define STICKSLIP_KIND(X)                                                                                    \
  template <> constexpr const char* kind_of<X>() {                                                           \
    return #X;                                                                                               \
  }
STICKSLIP_KIND(Coulomb)
STICKSLIP_KIND(Viscous)
STICKSLIP_KIND(Stribeck)
STICKSLIP_KIND(Tanh)
STICKSLIP_KIND(Table)
STICKSLIP_KIND(LuGre)
STICKSLIP_KIND(Dahl)
STICKSLIP_KIND(TwoStateBristle)
STICKSLIP_KIND(ElastoPlastic)
STICKSLIP_KIND(MaxwellSlip)
STICKSLIP_KIND(BoucWen)
STICKSLIP_KIND(Leuven)
#undef STICKSLIP_KIND

template <> constexpr const char* kind_of<Callable>() {
  return "Curve";
}

// A Python function; calls take the interpreter lock.
struct PythonCurve final : CurveFunction {
  explicit PythonCurve(py::object f) : function(std::move(f)) {}
  ~PythonCurve() override {
    py::gil_scoped_acquire lock;
    function = py::object();
  }
  PythonCurve(const PythonCurve&) = delete;
  PythonCurve& operator=(const PythonCurve&) = delete;

  double operator()(double v) const override {
    py::gil_scoped_acquire lock;
    try {
      const py::object result = function(v);
      const double number = PyFloat_AsDouble(result.ptr());
      if (PyErr_Occurred() != nullptr) throw py::error_already_set();
      return number;
    } catch (const py::error_already_set& e) {
      if (!e.matches(PyExc_Exception)) throw; // an interrupt goes through
      const std::string what = py::str(py::type::handle_of(e.value()).attr("__name__"));
      throw CurveError("function raised " + what + " (" + std::string(py::str(e.value())) + ")", v,
                       std::current_exception());
    }
  }

  bool same(const CurveFunction& other) const override {
    const auto* python = dynamic_cast<const PythonCurve*>(&other);
    if (python == nullptr) return false;
    py::gil_scoped_acquire lock;
    return function.is(python->function) || function.equal(python->function);
  }

  py::object function;
};

py::object to_python(const std::shared_ptr<const CurveFunction>& f) {
  const auto* python = dynamic_cast<const PythonCurve*>(f.get());
  return python == nullptr ? py::none() : python->function;
}
void from_python(const std::string& name, const py::handle& h, std::shared_ptr<const CurveFunction>& out) {
  if (PyCallable_Check(h.ptr()) == 0) throw py::type_error(name + " must be callable");
  out = std::make_shared<PythonCurve>(py::reinterpret_borrow<py::object>(h));
}

py::object to_python(double x) {
  return py::float_(x);
}
py::object to_python(bool x) {
  return py::bool_(x);
}
py::object to_python(const std::vector<double>& x) {
  return py::cast(x);
}
py::object to_python(StribeckForm f) {
  return py::str(f == StribeckForm::exponential ? "exponential" : "lorentzian");
}

double as_number(const std::string& name, const py::handle& h) {
  const double x = PyFloat_AsDouble(h.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::type_error(name + " must be a number, not " +
                         std::string(py::str(py::type::of(h).attr("__name__"))));
  }
  return x;
}

void from_python(const std::string& name, const py::handle& h, double& out) {
  out = as_number(name, h);
}
void from_python(const std::string&, const py::handle& h, bool& out) {
  out = h.cast<bool>();
}
void from_python(const std::string& name, const py::handle& h, std::vector<double>& out) {
  out.clear();
  for (const py::handle item : py::iter(h)) out.push_back(as_number(name, item));
}
void from_python(const std::string& name, const py::handle& h, StribeckForm& out) {
  const std::string text = py::str(h);
  if (text == "exponential")
    out = StribeckForm::exponential;
  else if (text == "lorentzian")
    out = StribeckForm::lorentzian;
  else
    reject(name, "= '" + text + "' is not allowed: it must be 'exponential' or 'lorentzian'");
}

py::dict parameters(const Term& term) {
  py::dict out;
  std::visit(
      [&](const auto& x) {
        std::decay_t<decltype(x)>::each(
            x, [&](const char* name, const auto& value) { out[name] = to_python(value); });
      },
      term);
  return out;
}

std::string kind(const Term& term) {
  return std::visit([](const auto& x) { return std::string(kind_of<std::decay_t<decltype(x)>>()); }, term);
}

template <class X> Term term_from(const py::dict& given) {
  X x;
  std::set<std::string> known;
  X::each(x, [&](const char* name, auto& value) {
    known.insert(name);
    if (given.contains(name)) from_python(name, given[name], value);
  });
  for (const auto& item : given)
    if (!known.contains(py::str(item.first)))
      throw py::type_error("no parameter " + std::string(py::str(item.first)));
  return x;
}

template <std::size_t I = 0> Term make_term(const std::string& name, const py::dict& given) {
  if constexpr (I < std::variant_size_v<Term>) {
    using X = std::variant_alternative_t<I, Term>;
    return name == kind_of<X>() ? term_from<X>(given) : make_term<I + 1>(name, given);
  } else {
    throw py::type_error("no law is named " + name);
  }
}

Law make_law(const py::sequence& terms) {
  Law law;
  for (const py::handle item : terms) {
    const auto pair = item.cast<std::pair<std::string, py::dict>>();
    law.terms.push_back(make_term(pair.first, pair.second));
  }
  validate(law);
  return law;
}

py::list terms_of(const Law& law) {
  py::list out;
  for (const Term& term : law.terms) out.append(py::make_tuple(kind(term), parameters(term)));
  return out;
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
  return map(v, [&](double x) {
    if (std::isnan(x)) return x;
    const Slopes s = steady_slopes(law, x, x == 0.0 ? direction : (x < 0.0 ? -1 : 1));
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
  const Force f = evaluate(law, v, direction, branch, z.data(), rates.data());
  return py::make_tuple(f.dry, f.viscous, rates);
}

// d dry/dv, d viscous/dv, d dry/dz, d zdot/dv, d zdot/dz
py::tuple linearised(const Law& law, double v, int direction, const VectorRef& z, unsigned branch) {
  check_states(law, z, direction);
  const Index n = z.size();
  Vector dry_z(n), zdot_v(n);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> zdot_z(n, n);
  const Slopes s = linearise(law, v, direction, branch, z.data(), dry_z.data(), zdot_v.data(), zdot_z.data());
  return py::make_tuple(s.dry_v, s.viscous_v, dry_z, zdot_v, Matrix(zdot_z));
}

std::pair<double, double> rest_set(const Law& law, const VectorRef& z) {
  check_states(law, z, 1);
  const Interval i = rest_interval(law, z.data());
  return {i.lo, i.hi};
}

Vector rates_in_rest(const Law& law, double dry, const VectorRef& z) {
  check_states(law, z, 1);
  Vector rates(z.size());
  rest_rates(law, dry, z.data(), rates.data());
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

void bind_friction(py::module_& m) {
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

  py::class_<LawTraits>(m, "LawTraits", "What does not change while a law runs.")
      .def_readonly("states", &LawTraits::states)
      .def_readonly("sticks", &LawTraits::sticks)
      .def_readonly("kinked", &LawTraits::kinked)
      .def_readonly("affine", &LawTraits::affine)
      .def_readonly("needs_interpreter", &LawTraits::needs_interpreter)
      .def_readonly("switches", &LawTraits::switches)
      .def_readonly("stiffness", &LawTraits::stiffness)
      .def_readonly("damping", &LawTraits::damping)
      .def_property_readonly("break_away",
                             [](const LawTraits& t) { return std::pair(t.break_away.lo, t.break_away.hi); });

  py::class_<Law>(m, "Law", "A sum of friction terms, each given as (kind, parameters).")
      .def(py::init(&make_law), py::arg("terms"))
      .def_property_readonly("terms", &terms_of)
      .def_property_readonly("traits", [](const Law& law) { return traits(law); })
      .def_property_readonly("state_names", [](const Law& law) { return state_names(law); })
      .def_property_readonly("velocity_kinks", [](const Law& law) { return velocity_kinks(law); })
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
      .def(py::pickle(&terms_of, [](const py::list& terms) { return make_law(terms); }));
}

} // namespace stickslip::bindings
