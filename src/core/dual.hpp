// A number with K derivatives, so that each law and each element is written once and its slopes are exact.
// Kernels are templates on the scalar: double in the flow, Dual in its Jacobian.
#pragma once

#include "core/types.hpp"

#include <array>
#include <cmath>
#include <type_traits>

namespace stickslip {

template <int K> struct Dual {
  double x = 0.0;
  std::array<double, K> d{};

  constexpr Dual() = default;
  constexpr Dual(double value) : x(value) {}
  // The variable that derivative number `which` is taken by.
  static constexpr Dual variable(double value, Index which) {
    Dual a(value);
    a.d[which] = 1.0;
    return a;
  }

  friend Dual operator-(const Dual& a) { return combined(-a.x, a, -1.0, a, 0.0); }
  friend Dual operator+(const Dual& a, const Dual& b) { return combined(a.x + b.x, a, 1.0, b, 1.0); }
  friend Dual operator-(const Dual& a, const Dual& b) { return combined(a.x - b.x, a, 1.0, b, -1.0); }
  friend Dual operator*(const Dual& a, const Dual& b) { return combined(a.x * b.x, a, b.x, b, a.x); }
  friend Dual operator/(const Dual& a, double b) { return combined(a.x / b, a, 1.0 / b, a, 0.0); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double q = a.x / b.x, inverse = 1.0 / b.x;
    return combined(q, a, inverse, b, -q * inverse);
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  // Also the derivatives are the same.
  friend bool operator==(const Dual&, const Dual&) = default;

private:
  static Dual combined(double value, const Dual& a, double by_a, const Dual& b, double by_b) {
    Dual out(value);
    for (Index k = 0; k < K; ++k) out.d[k] = by_a * a.d[k] + by_b * b.d[k];
    return out;
  }
};

// f(a) with f and f' given as numbers.
inline double chain(double, double f, double) {
  return f;
}
template <int K> Dual<K> chain(const Dual<K>& a, double f, double df) {
  Dual<K> out(f);
  for (Index k = 0; k < K; ++k) out.d[k] = df * a.d[k];
  return out;
}

// f(a, p) of a number that may have derivatives itself; `by_p` computes df/dp.
template <class T, class P, class F> T chain(const T& a, const P& p, double f, double by_a, F&& by_p) {
  T out = chain(a, f, by_a);
  if constexpr (!std::is_same_v<P, double>)
    if (p != P(p.x)) out += chain(p, 0.0, by_p());
  return out;
}

inline double value_of(double a) {
  return a;
}
template <int K> double value_of(const Dual<K>& a) {
  return a.x;
}

template <class T> T exponential(const T& a) {
  const double e = std::exp(value_of(a));
  return chain(a, e, e);
}

template <class T> T hyperbolic_tangent(const T& a) {
  const double t = std::tanh(value_of(a));
  return chain(a, t, 1.0 - t * t);
}

template <class T> T sine(const T& a) {
  return chain(a, std::sin(value_of(a)), std::cos(value_of(a)));
}

// The slope of |u|^p at u = 0 is infinite for p < 1; nearer to zero than this (in units of u) it is held, so
// that a Jacobian stays finite. The value itself is never changed.
inline constexpr double steepest_at = 1e-12;

inline bool is_integer(double p) {
  return p == std::floor(p) && p < 1e9;
}

// Derivative of a^p, a >= 0, by p > 0.
inline double by_exponent(double a, double p) {
  return a > 0.0 ? std::pow(a, p) * std::log(a) : 0.0;
}

template <class T, class P> T general_power(const T& u, const P& exponent) {
  const double x = value_of(u), a = std::abs(x), p = value_of(exponent);
  const auto by_p = [&] { return by_exponent(a, p); };
  if (is_integer(p)) return chain(u, exponent, std::pow(x, p), p * std::pow(x, p - 1.0), by_p);
  const double near = p < 1.0 && a < steepest_at ? steepest_at : a;
  return chain(u, exponent, std::pow(a, p), (x < 0.0 ? -p : p) * std::pow(near, p - 1.0), by_p);
}

// u^p for u >= 0, continued to u < 0 analytically where p is an integer, else evenly.
template <class T, class P> inline T power(const T& u, const P& p) {
  if (p == P(1.0)) return u;
  if (p == P(2.0)) return u * u;
  return general_power(u, p); // a separate function, so that the fast cases are inlined
}

template <class T, class P> T general_odd_power(const T& u, const P& exponent) {
  const double x = value_of(u), a = std::abs(x), p = value_of(exponent);
  const double near = p < 1.0 && a < steepest_at ? steepest_at : a;
  return chain(u, exponent, std::copysign(std::pow(a, p), x), p * std::pow(near, p - 1.0),
               [&] { return x < 0.0 ? -by_exponent(a, p) : by_exponent(a, p); });
}

// |u|^p sgn(u), the odd continuation.
template <class T, class P> inline T odd_power(const T& u, const P& p) {
  return p == P(1.0) ? u : general_odd_power(u, p);
}

} // namespace stickslip
