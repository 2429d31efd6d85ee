// A number that counts its operations; a call of a function of math.h counts as 20.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

struct Real {
  double v;
  static long n;
  Real() = default;
  constexpr Real(double x) : v(x) {}
  explicit operator double() const { return v; }
  explicit operator long() const { return static_cast<long>(v); }
  Real operator-() const { return Real(-v); }
  Real& operator+=(Real b) {
    ++n;
    v += b.v;
    return *this;
  }
  Real& operator-=(Real b) {
    ++n;
    v -= b.v;
    return *this;
  }
  Real& operator*=(Real b) {
    ++n;
    v *= b.v;
    return *this;
  }
  Real& operator/=(Real b) {
    ++n;
    v /= b.v;
    return *this;
  }
};
inline long Real::n = 0;

#define BINARY(op)                                                                                           \
  inline Real operator op(Real a, Real b) {                                                                  \
    ++Real::n;                                                                                               \
    return Real(a.v op b.v);                                                                                 \
  }
BINARY(+)
BINARY(-) BINARY(*) BINARY(/)
#define COMPARE(op)                                                                                          \
  inline bool operator op(Real a, Real b) {                                                                  \
    return a.v op b.v;                                                                                       \
  }
    COMPARE(<) COMPARE(>) COMPARE(<=) COMPARE(>=) COMPARE(==) COMPARE(!=)

#define CALL(f)                                                                                              \
  inline Real f(Real a) {                                                                                    \
    Real::n += 20;                                                                                           \
    return Real(std::f(a.v));                                                                                \
  }
        CALL(floor) CALL(sqrt) CALL(exp) CALL(tanh) inline Real fabs(Real a) {
  return Real(std::fabs(a.v));
}
inline Real copysign(Real a, Real b) {
  return Real(std::copysign(a.v, b.v));
}
inline Real pow(Real a, Real b) {
  Real::n += 20;
  return Real(std::pow(a.v, b.v));
}
inline Real fmod(Real a, Real b) {
  Real::n += 20;
  return Real(std::fmod(a.v, b.v));
}
#undef isfinite
inline bool isfinite(Real a) {
  return std::isfinite(a.v);
}
