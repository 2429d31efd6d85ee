// Any description as Python values and back, by its table of fields. Plain values are what pickle, copy and files
// work with; others keep laws, signals and controllers as objects.
#pragma once

#include "core/fields.hpp"
#include "held_function.hpp"
#include "list.hpp"
#include "model/machine.hpp"

#include <string>

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

namespace stickslip::bindings {

struct Packer {
  bool plain = true;

  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Vector> ||
             std::is_same_v<T, Matrix> || std::is_same_v<T, List<std::string>> ||
             std::is_same_v<T, std::optional<double>>)
  pybind11::object operator()(const T& value) const {
    return pybind11::cast(value);
  }

  template <Worded E> pybind11::object operator()(E value) const { return pybind11::str(word(value)); }

  pybind11::object operator()(const Signal& s) const {
    const pybind11::object object = pybind11::cast(s);
    return plain ? object.attr("__getstate__")() : object;
  }

  pybind11::object operator()(const Law& law) const {
    const pybind11::object object = pybind11::cast(law);
    return plain ? object.attr("terms") : object;
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

  template <Described T> pybind11::dict operator()(const T& self) const {
    pybind11::dict out;
    each_field(self, [&](const auto& field, const auto& value) { out[field.name] = (*this)(value); });
    return out;
  }
};

// `what` names the value in errors. Fields that are left out keep their defaults.
template <class T> void unpack(const std::string&, const pybind11::handle& saved, T& out) {
  out = saved.cast<T>();
}

template <Worded E> void unpack(const std::string& what, const pybind11::handle& saved, E& out) {
  out = choose<E>(what, saved.cast<std::string>());
}

inline void unpack(const std::string&, const pybind11::handle& saved, Signal& out) {
  const pybind11::object type = pybind11::type::of<Signal>();
  if (pybind11::isinstance(saved, type)) {
    out = saved.cast<Signal>();
    return;
  }
  const pybind11::object empty = type.attr("__new__")(type);
  empty.attr("__setstate__")(saved);
  out = empty.cast<Signal>();
}

inline void unpack(const std::string&, const pybind11::handle& saved, Law& out) {
  const pybind11::object type = pybind11::type::of<Law>();
  if (pybind11::isinstance(saved, type))
    out = saved.cast<Law>();
  else if (pybind11::len(saved) > 0)
    out = type(saved).cast<Law>();
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
  if constexpr (std::is_same_v<T, Controller> || std::is_same_v<T, Automaton>)
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
