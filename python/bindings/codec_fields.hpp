// Any description as Python values and back, by its table of fields. Plain values are what pickle, copy and files
// work with: numbers, texts, lists and dictionaries as JSON has them, and functions, which only pickle can save.
// Others keep arrays, laws, signals and controllers as objects.
#pragma once

#include "core/fields.hpp"
#include "held_function.hpp"
#include "law_terms.hpp"
#include "list.hpp"
#include "model/machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

struct Packer {
  bool plain = true;

  template <class T>
    requires(std::is_integral_v<T> || std::is_same_v<T, std::string>)
  pybind11::object operator()(const T& value) const {
    return pybind11::cast(value);
  }

  // JSON has no infinite numbers.
  pybind11::object operator()(double value) const {
    if (!plain || std::isfinite(value)) return pybind11::float_(value);
    return pybind11::str(std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf");
  }

  pybind11::object operator()(const std::optional<double>& value) const {
    return value ? (*this)(*value) : pybind11::none();
  }

  pybind11::object operator()(const Vector& values) const {
    return plain ? numbers(values) : pybind11::cast(values);
  }

  // Rows; without entries their number and length.
  pybind11::object operator()(const Matrix& values) const {
    if (!plain) return pybind11::cast(values);
    pybind11::list rows;
    for (Index i = 0; i < values.rows(); ++i) rows.append(numbers(values.row(i)));
    if (values.size() > 0) return rows;
    pybind11::dict empty;
    empty["shape"] = pybind11::make_tuple(values.rows(), values.cols());
    return empty;
  }

  // Without the zeros at its end.
  pybind11::object operator()(const Polynomial& c) const {
    Index size = signal_max_degree + 1;
    while (size > 1 && c[static_cast<std::size_t>(size - 1)] == 0.0) --size;
    return numbers(Eigen::Map<const Vector>(c.data(), size));
  }

  template <Worded E> pybind11::object operator()(E value) const { return pybind11::str(word(value)); }

  pybind11::object operator()(const Signal& s) const {
    return plain ? pybind11::object(fields(s)) : pybind11::cast(s);
  }

  pybind11::object operator()(const Law& law) const {
    const pybind11::object object = pybind11::cast(law);
    if (!plain) return object;
    pybind11::list terms;
    for (const pybind11::handle term : terms_of(law)) {
      const auto [kind, parameters] = term.cast<std::pair<std::string, pybind11::dict>>();
      pybind11::dict fields;
      fields["kind"] = kind;
      for (const auto& [name, value] : parameters)
        fields[name] = pybind11::isinstance<pybind11::float_>(value)
                           ? (*this)(value.template cast<double>())
                           : pybind11::reinterpret_borrow<pybind11::object>(value);
      terms.append(fields);
    }
    return terms;
  }

  pybind11::object operator()(const Combination& c) const {
    pybind11::dict out;
    for (const Part& p : c.parts) out[pybind11::str(p.name)] = p.factor;
    return out;
  }

  pybind11::object operator()(const Program& p) const {
    const auto* held = dynamic_cast<const HeldFunction*>(p.identity.get());
    if (held == nullptr) throw pybind11::value_error("a controller of another language cannot be saved");
    pybind11::dict out;
    out["function"] = held->get();
    out["references"] = p.references;
    out["measurements"] = p.measurements;
    out["outputs"] = p.outputs;
    out["memory"] = p.memory;
    return out;
  }

  template <class T> pybind11::object operator()(const List<T>& items) const {
    pybind11::list out;
    for (const T& item : items) out.append((*this)(item));
    return out;
  }

  template <class... T> pybind11::dict operator()(const std::variant<T...>& value) const {
    pybind11::dict out = std::visit([this](const auto& x) { return pybind11::dict((*this)(x)); }, value);
    out["kind"] = Kind<std::variant<T...>>::list[value.index()];
    return out;
  }

  template <Described T> pybind11::dict operator()(const T& self) const { return fields(self); }

private:
  template <class T> pybind11::dict fields(const T& self) const {
    pybind11::dict out;
    each_field(self, [&](const auto& field, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tape>)
        if (value.outputs.empty()) return; // no expression
      out[field.name] = (*this)(value);
    });
    return out;
  }

  template <class T> pybind11::list numbers(const T& values) const {
    pybind11::list out;
    for (Index k = 0; k < values.size(); ++k) out.append((*this)(double{values(k)}));
    return out;
  }
};

// `what` names the value in errors. Fields that are left out keep their defaults.
template <class T> void unpack(const std::string&, const pybind11::handle& saved, T& out) {
  out = saved.cast<T>();
}

inline void unpack(const std::string& what, const pybind11::handle& saved, double& out) {
  if (!pybind11::isinstance<pybind11::str>(saved)) {
    out = saved.cast<double>();
    return;
  }
  const auto text = saved.cast<std::string>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "-inf")
    out = text[0] == '-' ? -infinity : infinity;
  else if (text == "nan")
    out = std::numeric_limits<double>::quiet_NaN();
  else
    throw pybind11::value_error(what + " = '" + text + "' is not a number");
}

inline void unpack(const std::string& what, const pybind11::handle& saved, std::optional<double>& out) {
  out.reset();
  if (!saved.is_none()) unpack(what, saved, out.emplace());
}

inline void unpack(const std::string& what, const pybind11::handle& saved, Vector& out) {
  if (!pybind11::isinstance<pybind11::list>(saved)) {
    out = saved.cast<Vector>();
    return;
  }
  const auto items = pybind11::cast<pybind11::list>(saved);
  out.resize(static_cast<Index>(items.size()));
  for (Index k = 0; k < out.size(); ++k) unpack(what, items[static_cast<std::size_t>(k)], out(k));
}

inline void unpack(const std::string& what, const pybind11::handle& saved, Matrix& out) {
  if (pybind11::isinstance<pybind11::dict>(saved)) {
    const auto [rows, columns] = saved["shape"].cast<std::pair<Index, Index>>();
    if (rows < 0 || columns < 0 || (rows > 0 && columns > 0))
      throw pybind11::value_error(what + " has an invalid shape for an empty matrix");
    out.resize(rows, columns);
  } else if (pybind11::isinstance<pybind11::list>(saved)) {
    const auto rows = pybind11::cast<pybind11::list>(saved);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Vector row;
      unpack(what, rows[i], row);
      if (i == 0) out.resize(static_cast<Index>(rows.size()), row.size());
      if (row.size() != out.cols()) throw pybind11::value_error("rows of " + what + " differ in length");
      out.row(static_cast<Index>(i)) = row.transpose();
    }
    if (rows.empty()) out.resize(0, 0);
  } else {
    out = saved.cast<Matrix>();
  }
}

inline void unpack(const std::string& what, const pybind11::handle& saved, Polynomial& out) {
  Vector c;
  unpack(what, saved, c);
  if (c.size() > std::ssize(out)) throw pybind11::value_error(what + " has too many coefficients");
  out.fill(0.0);
  std::copy_n(c.data(), c.size(), out.data());
}

template <Worded E> void unpack(const std::string& what, const pybind11::handle& saved, E& out) {
  out = choose<E>(what, saved.cast<std::string>());
}

inline void unpack(const std::string&, const pybind11::handle& saved, Law& out) {
  if (pybind11::isinstance<Law>(saved))
    out = saved.cast<Law>();
  else if (pybind11::len(saved) > 0)
    out = make_law(pybind11::cast<pybind11::list>(saved));
}

inline void unpack(const std::string&, const pybind11::handle& saved, Combination& out) {
  out.parts.clear();
  for (const auto& [name, factor] : pybind11::cast<pybind11::dict>(saved))
    out.parts.push_back({name.cast<std::string>(), factor.cast<double>()});
}

inline void unpack(const std::string&, const pybind11::handle& saved, Program& out) {
  const auto p = pybind11::cast<pybind11::dict>(saved);
  out = program(p["function"], p["references"].cast<Index>(), p["measurements"].cast<Index>(),
                p["outputs"].cast<Index>(), p["memory"].cast<Vector>());
}

template <Described T> void unpack(const std::string& what, const pybind11::handle& saved, T& out);

template <class T>
  requires(!std::is_same_v<T, std::string>)
void unpack(const std::string& what, const pybind11::handle& saved, List<T>& out) {
  out.clear();
  for (const pybind11::handle item : saved) unpack(what, item, out.emplace_back());
}

template <class... T>
void unpack(const std::string& what, const pybind11::handle& saved, std::variant<T...>& out) {
  pybind11::dict fields(pybind11::cast<pybind11::dict>(saved).attr("copy")());
  const auto kind = fields.attr("pop")("kind").cast<std::string>();
  std::size_t k = 0;
  const bool found =
      ((kind == Kind<std::variant<T...>>::list[k++] ? (unpack(what, fields, out.template emplace<T>()), true)
                                                    : false) ||
       ...);
  if (!found) throw pybind11::value_error(what + " of the kind '" + kind + "' is unknown");
}

template <Described T> void unpack(const std::string& what, const pybind11::handle& saved, T& out) {
  if constexpr (std::is_same_v<T, Controller> || std::is_same_v<T, Automaton> || std::is_same_v<T, Signal>)
    if (pybind11::isinstance<T>(saved)) {
      out = saved.cast<T>();
      return;
    }
  const auto fields = pybind11::cast<pybind11::dict>(saved);
  std::size_t used = 0;
  each_field(out, [&](const auto& field, auto& value) {
    if (!fields.contains(field.name)) return;
    unpack(field.name, fields[field.name], value);
    ++used;
  });
  if (used != fields.size())
    throw pybind11::type_error(what + " has fields that are unknown: " + std::string(pybind11::str(fields)));
}

} // namespace stickslip::bindings
