// Any description, and any record with a list of its members, as bytes and back.
#pragma once

#include "core/fields.hpp"
#include "core/list.hpp"
#include "export/bytes.hpp"
#include "friction/law_names.hpp"
#include "model/machine.hpp"

#include <array>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace stickslip {

// A record without names of its fields: members(record) ties them in a fixed order.
template <class T>
concept Tied = requires(T& record) { members(record); };

class ValueWriter {
public:
  ByteWriter& to;
  std::string owner; // the element that holds the present values

  void operator()(bool value) { to.boolean(value); }
  void operator()(double value) { to.number(value); }
  void operator()(const std::string& value) { to.text(value); }
  template <std::integral T> void operator()(T value) { to.integer(static_cast<std::int64_t>(value)); }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E value) {
    if constexpr (Worded<E>)
      to.text(word(value));
    else
      to.integer(static_cast<std::int64_t>(value));
  }
  void operator()(const std::optional<double>& value) { value ? to.number(*value) : to.null(); }
  void operator()(const Vector& values) {
    to.array(values.size());
    for (const double x : values) to.number(x);
  }
  void operator()(const Matrix& values) {
    to.array(2 + values.size());
    to.integer(values.rows()), to.integer(values.cols());
    for (Index i = 0; i < values.rows(); ++i)
      for (Index j = 0; j < values.cols(); ++j) to.number(values(i, j));
  }
  void operator()(const Law& law) { (*this)(law.terms); }
  void operator()(const Combination& c) { (*this)(c.parts); }
  void operator()(const Program& program) {
    throw InvalidArgument("controller '" + owner +
                          (program.in_engine
                               ? "' is a function of C, which exists in this process alone"
                               : "' is a Python function, which does not exist outside of Python") +
                          ": leave the controller out, and drive its target by a stickslip.Input");
  }
  void operator()(const std::shared_ptr<const CurveFunction>&) {
    throw InvalidArgument("law of '" + owner +
                          "' is a Python function, which does not exist outside of Python: sample it with "
                          "stickslip.Table.sample, or write it as a stickslip.FormulaLaw");
  }
  template <class T, std::size_t n> void operator()(const std::array<T, n>& items) {
    to.array(static_cast<Index>(n));
    for (const T& item : items) (*this)(item);
  }
  template <class T> void operator()(const List<T>& items) {
    to.array(items.size());
    for (const T& item : items) (*this)(item);
  }
  // Its kind and its value.
  template <class... T> void operator()(const std::variant<T...>& value) {
    to.array(2);
    to.text(Kind<std::variant<T...>>::list[value.index()]);
    std::visit(*this, value);
  }
  template <Described T> void operator()(const T& self) {
    if constexpr (requires { T::kind, self.name; }) owner = self.name;
    Index count = 0;
    each_field(self, [&](const auto&, const auto&) { ++count; });
    to.map(count);
    each_field(self, [&](const auto& field, const auto& value) { to.text(field.name), (*this)(value); });
  }
  template <class T>
    requires Tied<const T>
  void operator()(const T& record) {
    std::apply(
        [&](const auto&... member) {
          to.array(sizeof...(member));
          ((*this)(member), ...);
        },
        members(record));
  }
};

class ValueReader {
public:
  ByteReader& from;

  void operator()(bool& out) { out = from.boolean(); }
  void operator()(double& out) { out = from.number(); }
  void operator()(std::string& out) { out = from.text(); }
  template <std::integral T> void operator()(T& out) {
    const std::int64_t value = from.integer();
    if (sizeof(T) < sizeof value && !std::in_range<T>(value)) throw DamagedBytes();
    out = static_cast<T>(value); // 64 bits without a sign are written as if they had one
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E& out) {
    if constexpr (Worded<E>) {
      out = choose<E>("a word", from.text());
    } else {
      std::underlying_type_t<E> value{};
      (*this)(value);
      out = static_cast<E>(value);
    }
  }
  void operator()(std::optional<double>& out) {
    out.reset();
    if (!from.null()) out = from.number();
  }
  void operator()(Vector& out) {
    out.resize(from.array());
    for (double& x : out) x = from.number();
  }
  void operator()(Matrix& out) {
    const Index items = from.array();
    const std::int64_t rows = from.integer(), columns = from.integer();
    const std::int64_t entries = items - 2;
    const bool fits = rows >= 0 && columns >= 0 &&
                      (columns == 0 ? entries == 0 : entries % columns == 0 && entries / columns == rows);
    if (!fits) throw DamagedBytes();
    out.resize(static_cast<Index>(rows), static_cast<Index>(columns));
    for (Index i = 0; i < out.rows(); ++i)
      for (Index j = 0; j < out.cols(); ++j) out(i, j) = from.number();
  }
  void operator()(Law& out) { (*this)(out.terms); }
  void operator()(Combination& out) { (*this)(out.parts); }
  void operator()(Program&) { throw DamagedBytes(); }
  void operator()(std::shared_ptr<const CurveFunction>&) { throw DamagedBytes(); }
  template <class T, std::size_t n> void operator()(std::array<T, n>& out) {
    from.array(static_cast<Index>(n));
    for (T& item : out) (*this)(item);
  }
  template <class T> void operator()(List<T>& out) {
    const Index count = from.array();
    out.clear();
    out.reserve(static_cast<std::size_t>(count));
    for (Index k = 0; k < count; ++k) (*this)(out.emplace_back());
  }
  template <class... T> void operator()(std::variant<T...>& out) {
    from.array(2);
    const std::string_view kind = from.text();
    std::size_t k = 0;
    const bool found =
        ((kind == Kind<std::variant<T...>>::list[k++] ? ((*this)(out.template emplace<T>()), true) : false) ||
         ...);
    if (!found) throw unknown("kind", kind);
  }
  // Fields that are missing keep their defaults.
  template <Described T> void operator()(T& out) {
    for (Index left = from.map(); left > 0; --left) {
      const std::string_view name = from.text();
      bool found = false;
      each_field(out, [&](const auto& field, auto& value) {
        if (found || name != field.name) return;
        found = true;
        (*this)(value);
      });
      if (!found) throw unknown("field", name);
    }
  }
  template <Tied T> void operator()(T& out) {
    std::apply(
        [&](auto&... member) {
          from.array(sizeof...(member));
          ((*this)(member), ...);
        },
        members(out));
  }

private:
  static InvalidArgument unknown(const char* what, std::string_view name) {
    return InvalidArgument("the data hold the unknown " + std::string(what) + " '" + std::string(name) +
                           "': a newer version of stickslip has written them");
  }
};

} // namespace stickslip
