// The elementary operations of an expression, and their values for numbers.
#pragma once

#include "core/fields.hpp"

#include <cmath>
#include <cstdint>

namespace stickslip {

// Smooth operations, and two choices between two values by the sign of a condition g: the first value where g >= 0 (at
// least) or g > 0 (above). abs, min, max, sign and `where` consist of these two, so that every corner is a condition
// that can be monitored and whose branch can be prescribed.
enum class Operation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  negate,
  square,
  integer_power, // the exponent stands in the instruction
  power,         // real: a > 0, or an exponent that is an integer
  sqrt,
  exp,
  expm1,
  log,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  hypot,
  select_at_least,
  select_above
};
template <> struct Words<Operation> {
  static constexpr const char* list[] = {"add",
                                         "subtract",
                                         "multiply",
                                         "divide",
                                         "negate",
                                         "square",
                                         "integer_power",
                                         "power",
                                         "sqrt",
                                         "exp",
                                         "expm1",
                                         "log",
                                         "log1p",
                                         "sin",
                                         "cos",
                                         "tan",
                                         "asin",
                                         "acos",
                                         "atan",
                                         "atan2",
                                         "sinh",
                                         "cosh",
                                         "tanh",
                                         "asinh",
                                         "acosh",
                                         "atanh",
                                         "erf",
                                         "hypot",
                                         "select_at_least",
                                         "select_above"};
};

constexpr bool is_select(Operation o) {
  return o == Operation::select_at_least || o == Operation::select_above;
}

// Numbers of values that are read; the exponent of an integer power and the condition of a choice are none.
constexpr int arity(Operation o) {
  const bool two = o <= Operation::divide || o == Operation::power || o == Operation::atan2 ||
                   o == Operation::hypot || is_select(o);
  return two ? 2 : 1;
}

// f(-x) = -f(x), bitwise
constexpr bool is_odd(Operation o) {
  return o == Operation::sin || o == Operation::tan || o == Operation::asin || o == Operation::atan ||
         o == Operation::sinh || o == Operation::tanh || o == Operation::asinh || o == Operation::atanh ||
         o == Operation::erf;
}
// f(-x) = f(x)
constexpr bool is_even(Operation o) {
  return o == Operation::cos || o == Operation::cosh || o == Operation::square;
}

inline double integer_power(double a, int n) {
  double out = 1.0, factor = a;
  for (unsigned left = n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n); left > 0U;
       left >>= 1U) {
    if (left & 1U) out *= factor;
    factor *= factor;
  }
  return n < 0 ? 1.0 / out : out;
}

// Choices excepted; b is read by binary operations only, n by the integer power.
inline double applied(Operation o, double a, double b, int n) {
  switch (o) {
  case Operation::add:
    return a + b;
  case Operation::subtract:
    return a - b;
  case Operation::multiply:
    return a * b;
  case Operation::divide:
    return a / b;
  case Operation::negate:
    return -a;
  case Operation::square:
    return a * a;
  case Operation::integer_power:
    return integer_power(a, n);
  case Operation::power:
    return std::pow(a, b);
  case Operation::sqrt:
    return std::sqrt(a);
  case Operation::exp:
    return std::exp(a);
  case Operation::expm1:
    return std::expm1(a);
  case Operation::log:
    return std::log(a);
  case Operation::log1p:
    return std::log1p(a);
  case Operation::sin:
    return std::sin(a);
  case Operation::cos:
    return std::cos(a);
  case Operation::tan:
    return std::tan(a);
  case Operation::asin:
    return std::asin(a);
  case Operation::acos:
    return std::acos(a);
  case Operation::atan:
    return std::atan(a);
  case Operation::atan2:
    return std::atan2(a, b);
  case Operation::sinh:
    return std::sinh(a);
  case Operation::cosh:
    return std::cosh(a);
  case Operation::tanh:
    return std::tanh(a);
  case Operation::asinh:
    return std::asinh(a);
  case Operation::acosh:
    return std::acosh(a);
  case Operation::atanh:
    return std::atanh(a);
  case Operation::erf:
    return std::erf(a);
  case Operation::hypot:
    return std::hypot(a, b);
  case Operation::select_at_least:
  case Operation::select_above:
    break;
  }
  return a;
}

} // namespace stickslip
