// A number with two derivatives (by velocity and by one internal state), so that each law is written once and
// its slopes are exact. Kernels are templates on the scalar: double in the flow, Dual in its Jacobian.
#pragma once

#include <cmath>

namespace stickslip {

struct Dual {
  double x = 0.0, dv = 0.0, dz = 0.0;

  constexpr Dual() = default;
  constexpr Dual(double value) : x(value) {}
  constexpr Dual(double value, double by_v, double by_z) : x(value), dv(by_v), dz(by_z) {}

  Dual& operator+=(const Dual& b) { return *this = Dual(x + b.x, dv + b.dv, dz + b.dz); }
};

inline Dual operator-(const Dual& a) {
  return {-a.x, -a.dv, -a.dz};
}
inline Dual operator+(const Dual& a, const Dual& b) {
  return {a.x + b.x, a.dv + b.dv, a.dz + b.dz};
}
inline Dual operator-(const Dual& a, const Dual& b) {
  return {a.x - b.x, a.dv - b.dv, a.dz - b.dz};
}
inline Dual operator*(const Dual& a, const Dual& b) {
  return {a.x * b.x, a.dv * b.x + a.x * b.dv, a.dz * b.x + a.x * b.dz};
}
inline Dual operator/(const Dual& a, const Dual& b) {
  const double q = a.x / b.x;
  return {q, (a.dv - q * b.dv) / b.x, (a.dz - q * b.dz) / b.x};
}

// f(a) with f and f' given as numbers.
inline double chain(double, double f, double) {
  return f;
}
inline Dual chain(const Dual& a, double f, double df) {
  return {f, df * a.dv, df * a.dz};
}

inline double value_of(double a) {
  return a;
}
inline double value_of(const Dual& a) {
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

// u^p for u >= 0, continued to u < 0 analytically where p is an integer, else evenly.
template <class T> T power(const T& u, double p) {
  const double x = value_of(u);
  if (p == 1.0) return u;
  if (p == 2.0) return u * u;
  if (is_integer(p)) return chain(u, std::pow(x, p), p * std::pow(x, p - 1.0));
  const double a = std::abs(x), near = p < 1.0 && a < steepest_at ? steepest_at : a;
  return chain(u, std::pow(a, p), (x < 0.0 ? -p : p) * std::pow(near, p - 1.0));
}

// |u|^p sgn(u), the odd continuation.
template <class T> T odd_power(const T& u, double p) {
  const double x = value_of(u);
  if (p == 1.0) return u;
  const double a = std::abs(x), near = p < 1.0 && a < steepest_at ? steepest_at : a;
  return chain(u, std::copysign(std::pow(a, p), x), p * std::pow(near, p - 1.0));
}

} // namespace stickslip
