// A law as Python says it: a list of (kind, parameters), one for each term.
#include "law_terms.hpp"

#include "codec_fields.hpp"
#include "list.hpp"

#include "core/error.hpp"
#include "friction/law_names.hpp"

#include <set>
#include <string>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace stickslip::bindings {

namespace {

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

py::object to_python(const Tape& tape) {
  return Packer{true}(tape);
}
py::object to_python(const List<std::string>& x) {
  return Packer{true}(x);
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
  return py::str(word(f));
}

double as_number(const std::string& name, const py::handle& h) {
  const double x = PyFloat_AsDouble(h.ptr());
  if (PyErr_Occurred() != nullptr) {
    const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
    PyErr_Clear();
    if (too_large) reject(name, "is an integer beyond what a double holds: it must be below 1.8e308");
    throw py::type_error(name + " must be a number, not " +
                         std::string(py::str(py::type::of(h).attr("__name__"))));
  }
  return x;
}

void from_python(const std::string& name, const py::handle& h, double& out) {
  out = as_number(name, h);
}
void from_python(const std::string& name, const py::handle& h, Tape& out) {
  unpack(name, h, out);
}
void from_python(const std::string& name, const py::handle& h, List<std::string>& out) {
  unpack(name, h, out);
}
void from_python(const std::string&, const py::handle& h, bool& out) {
  out = h.cast<bool>();
}
void from_python(const std::string& name, const py::handle& h, std::vector<double>& out) {
  out.clear();
  for (const py::handle item : py::iter(h)) out.push_back(as_number(name, item));
}
void from_python(const std::string& name, const py::handle& h, StribeckForm& out) {
  out = choose<StribeckForm>(name, std::string(py::str(h)));
}

// A field `x_follows` says that x was not given: in Python the name is missing then.
std::string followed_by(const std::string& field) {
  return field.ends_with("_follows") ? field.substr(0, field.size() - 8) : std::string();
}

py::dict parameters(const Term& term, bool all) {
  py::dict out;
  const auto add = [&](const auto& field, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tape>)
      if (value.outputs.empty()) return; // no formula
    const std::string of = followed_by(field.name);
    if (of.empty())
      out[field.name] = to_python(value);
    else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      if (value && !all) out.attr("pop")(of);
  };
  std::visit([&](const auto& x) { each_field(x, add); }, term);
  return out;
}

std::string kind(const Term& term) {
  return Kind<Term>::list[term.index()];
}

template <class X> Term term_from(const py::dict& given) {
  X x;
  std::set<std::string> known;
  each_field(x, [&](const auto& field, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      if (const std::string of = followed_by(field.name); !of.empty()) {
        value = !given.contains(of);
        return;
      }
    known.insert(field.name);
    if (given.contains(field.name)) from_python(field.name, given[field.name], value);
  });
  for (const auto& item : given)
    if (!known.contains(py::str(item.first)))
      throw py::type_error("no parameter " + std::string(py::str(item.first)));
  if (auto* levels = levels_of(x); levels && given.contains("static") != given.contains("kinetic")) {
    levels->kinetic_follows = true;
    (given.contains("static") ? levels->kinetic : levels->static_level) =
        given.contains("static") ? levels->static_level : levels->kinetic;
  }
  if constexpr (requires { follow(x); }) follow(x);
  return x;
}

template <std::size_t I = 0> Term make_term(const std::string& name, const py::dict& given) {
  if constexpr (I < std::variant_size_v<Term>) {
    using X = std::variant_alternative_t<I, Term>;
    return name == Kind<Term>::list[I] ? term_from<X>(given) : make_term<I + 1>(name, given);
  } else {
    throw py::type_error("unknown law " + name);
  }
}

} // namespace

Law make_law(const py::sequence& terms) {
  Law law;
  for (const py::handle item : terms) {
    if (py::isinstance<py::dict>(item)) { // of a file
      py::dict fields;
      for (const auto& [name, value] : item.cast<py::dict>()) {
        const bool infinite = value.equal(py::str("inf")) || value.equal(py::str("-inf"));
        fields[name] = infinite ? py::object(py::float_(py::reinterpret_borrow<py::object>(value)))
                                : py::reinterpret_borrow<py::object>(value);
      }
      const auto kind = fields.attr("pop")("kind").cast<std::string>();
      law.terms.push_back(make_term(kind, fields));
      continue;
    }
    const auto pair = item.cast<std::pair<std::string, py::dict>>();
    law.terms.push_back(make_term(pair.first, pair.second));
  }
  validate(law);
  return law;
}

py::list terms_of(const Law& law, bool all) {
  py::list out;
  for (const Term& term : law.terms) out.append(py::make_tuple(kind(term), parameters(term, all)));
  return out;
}

} // namespace stickslip::bindings
