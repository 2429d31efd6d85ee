// The partial derivatives of the elementary operations, written once for any type with arithmetic: numbers, or terms of
// a graph, where the derivative of an expression is an expression.
#pragma once

#include "expression/operation.hpp"

#include <cmath>
#include <numbers>

namespace stickslip {

inline double constant_like(double, double value) {
  return value;
}
inline double integer_power_of(double a, int n) {
  return integer_power(a, n);
}

// d value / d a (`by_b` false) or d value / d b of value = operation(a, b); n is the exponent of an integer power.
// Choices have none: the derivative of a choice is the choice of derivatives.
template <class T> T partial(Operation o, bool by_b, const T& a, const T& b, int n, const T& value) {
  using std::cos, std::sin, std::sinh, std::cosh, std::sqrt, std::log, std::pow, std::exp;
  switch (o) {
  case Operation::add:
    return constant_like(a, 1.0);
  case Operation::subtract:
    return constant_like(a, by_b ? -1.0 : 1.0);
  case Operation::multiply:
    return by_b ? a : b;
  case Operation::divide:
    return by_b ? -(value / b) : 1.0 / b;
  case Operation::negate:
    return constant_like(a, -1.0);
  case Operation::square:
    return 2.0 * a;
  case Operation::integer_power:
    return static_cast<double>(n) * integer_power_of(a, n - 1);
  case Operation::power:
    return by_b ? value * log(a) : b * pow(a, b - 1.0);
  case Operation::sqrt:
    return 0.5 / value;
  case Operation::exp:
    return value;
  case Operation::expm1:
    return value + 1.0;
  case Operation::log:
    return 1.0 / a;
  case Operation::log1p:
    return 1.0 / (a + 1.0);
  case Operation::sin:
    return cos(a);
  case Operation::cos:
    return -sin(a);
  case Operation::tan:
    return value * value + 1.0;
  case Operation::asin:
    return 1.0 / sqrt((1.0 - a) * (1.0 + a));
  case Operation::acos:
    return -(1.0 / sqrt((1.0 - a) * (1.0 + a)));
  case Operation::atan:
    return 1.0 / (a * a + 1.0);
  case Operation::atan2:
    return by_b ? -(a / (a * a + b * b)) : b / (a * a + b * b);
  case Operation::sinh:
    return cosh(a);
  case Operation::cosh:
    return sinh(a);
  case Operation::tanh:
    return (1.0 - value) * (1.0 + value);
  case Operation::asinh:
    return 1.0 / cosh(value); // a * a would overflow
  case Operation::acosh:
    return 1.0 / sqrt((a - 1.0) * (a + 1.0));
  case Operation::atanh:
    return 1.0 / ((1.0 - a) * (1.0 + a));
  case Operation::erf:
    return 2.0 * std::numbers::inv_sqrtpi * exp(-(a * a));
  case Operation::hypot:
    return by_b ? b / value : a / value;
  case Operation::select_at_least:
  case Operation::select_above:
    break;
  }
  return constant_like(a, 0.0);
}

} // namespace stickslip
