// The one table of the members of a description: `T::fields()` lists each with its public name, its quantity and its
// allowed range; its default is that of T{}. Equality, checks, saving, text and the paths by which numbers are varied
// are generated from it.
#pragma once

#include "core/error.hpp"
#include "core/quantity.hpp"
#include "core/types.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace stickslip {

enum class Range { any, finite, positive, non_negative, fraction }; // fraction: in [0, 1]

template <class C, class M> struct Member {
  const char* name;
  M C::* member;
  Quantity quantity;
  Range range;
};

template <class C, class M>
constexpr Member<C, M> field(const char* name, M C::* member, Quantity q = {}, Range r = Range::any) {
  return {name, member, q, r};
}

template <class T>
concept Described = requires { T::fields(); };

// A member whose fields are listed among those of the enclosing description.
template <class C, class M, class Fields> struct Inlined {
  M C::* member;
  Fields fields;
};

template <class C, class M, class Fields = decltype(M::fields())>
constexpr Inlined<C, M, Fields> inlined(M C::* member, Fields fields = M::fields()) {
  return {member, fields};
}

namespace detail {

template <class T, class F, class C, class M> void visit_field(T& self, F& f, const Member<C, M>& field) {
  f(field, self.*field.member);
}

template <class T, class F, class C, class M, class Fields>
void visit_field(T& self, F& f, const Inlined<C, M, Fields>& part) {
  std::apply([&](const auto&... fields) { (visit_field(self.*part.member, f, fields), ...); }, part.fields);
}

template <class A, class B, class F, class C, class M, class D, class N>
void visit_pair(const A& a, B& b, F& f, const Member<C, M>& of_a, const Member<D, N>& of_b) {
  f(a.*of_a.member, b.*of_b.member);
}

template <class A, class B, class F, class Fields, class Others>
void visit_pairs(const A& a, B& b, F& f, const Fields& fields, const Others& others);

template <class A, class B, class F, class C, class M, class Fields, class D, class N, class Others>
void visit_pair(const A& a, B& b, F& f, const Inlined<C, M, Fields>& part,
                const Inlined<D, N, Others>& other) {
  visit_pairs(a.*part.member, b.*other.member, f, part.fields, other.fields);
}

template <class A, class B, class F, class Fields, class Others>
void visit_pairs(const A& a, B& b, F& f, const Fields& fields, const Others& others) {
  std::apply(
      [&](const auto&... of_a) {
        std::apply([&](const auto&... of_b) { (visit_pair(a, b, f, of_a, of_b), ...); }, others);
      },
      fields);
}

} // namespace detail

// f(field, value) for every member of a description.
template <class T, class F> void each_field(T& self, F&& f) {
  std::apply([&](const auto&... fields) { (detail::visit_field(self, f, fields), ...); },
             std::remove_const_t<T>::fields());
}

// f(value, other) for every member of two descriptions with the same fields.
template <class A, class B, class F> void each_pair(const A& a, B& b, F&& f) {
  detail::visit_pairs(a, b, f, A::fields(), B::fields());
}

// Matrices of different sizes are different, where Eigen only compares equal sizes.
inline bool same(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}
inline bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && a == b;
}
template <class T> bool same(const T& a, const T& b) {
  return a == b;
}

template <Described T> bool operator==(const T& a, const T& b) {
  return std::apply([&](const auto&... fields) { return (same(a.*fields.member, b.*fields.member) && ...); },
                    T::fields());
}

inline void check_range(const std::string& name, double value, Range range) {
  switch (range) {
  case Range::any:
    return;
  case Range::finite:
    finite(name, value);
    return;
  case Range::positive:
    positive(name, value);
    return;
  case Range::non_negative:
    non_negative(name, value);
    return;
  case Range::fraction:
    if (!(value >= 0.0 && value <= 1.0)) reject(name, value, "in [0, 1]");
  }
}

inline void check_range(const std::string& name, const std::optional<double>& value, Range range) {
  if (value) check_range(name, *value, range);
}

template <class T>
constexpr bool a_number =
    std::is_same_v<std::decay_t<T>, double> || std::is_same_v<std::decay_t<T>, std::optional<double>>;

// The numbers of a description against their ranges; `of` follows the name in the error.
template <Described T> void check_numbers(const T& self, const std::string& of = "") {
  each_field(self, [&](const auto& field, const auto& value) {
    if constexpr (a_number<decltype(value)>) check_range(field.name + of, value, field.range);
  });
}

// Public words of an enumeration, in the order of its values, which count from 0.
template <class E> struct Words;

template <class E>
concept Worded = requires { Words<E>::list; };

template <Worded E> const char* word(E value) {
  return Words<E>::list[static_cast<Index>(value)];
}

template <Worded E> E choose(std::string_view name, std::string_view given) {
  std::string allowed;
  for (Index i = 0; i < std::ssize(Words<E>::list); ++i) {
    if (given == Words<E>::list[i]) return static_cast<E>(i);
    allowed += (allowed.empty() ? "'" : ", '") + std::string(Words<E>::list[i]) + "'";
  }
  reject(name, "= '" + std::string(given) + "' is not allowed: it must be one of " + allowed);
}

// The public name of each kind of a closed set of descriptions.
template <class T> struct Kind;

} // namespace stickslip
