// A number as the unevaluated sum of two doubles, about 32 decimal digits on every machine: `long double` is no longer
// than a double with some compilers. Sums and products without error after T. J. Dekker, Numer. Math. 18 (1971)
// 224-242; the same with a fused multiply-add in J.-M. Muller et al., Handbook of Floating-Point Arithmetic, 2nd ed.,
// 2018, sections 4.3, 4.4 and 14.1.
#pragma once

#include <cmath>

#include <Eigen/Core>

namespace stickslip {

struct DoubleDouble {
  double high = 0.0, low = 0.0; // |low| is at most half of high's last place

  DoubleDouble() = default;
  DoubleDouble(double x) : high(x) {} // NOLINT: every double is one
  explicit operator double() const { return high; }

  DoubleDouble operator-() const { return exactly(-high, -low); }
  DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }
  DoubleDouble& operator-=(const DoubleDouble& b) { return *this = *this - b; }
  DoubleDouble& operator*=(const DoubleDouble& b) { return *this = *this * b; }
  DoubleDouble& operator/=(const DoubleDouble& b) { return *this = *this / b; }

  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble s = sum(a.high, b.high), t = sum(a.low, b.low), u = ordered(s.high, s.low + t.high);
    return ordered(u.high, u.low + t.low);
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const double p = a.high * b.high;
    return ordered(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    DoubleDouble rest = a - b * first;
    const double second = rest.high / b.high;
    rest -= b * second;
    return ordered(first, second) + rest.high / b.high;
  }

  friend bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
  friend bool operator==(const DoubleDouble&, const DoubleDouble&) = default;

  friend DoubleDouble abs(const DoubleDouble& a) { return a < DoubleDouble() ? -a : a; }
  friend bool isfinite(const DoubleDouble& a) { return std::isfinite(a.high); }
  friend DoubleDouble sqrt(const DoubleDouble& a) { // one step of Newton doubles the digits
    if (a.high == 0.0) return a;
    const double root = std::sqrt(a.high);
    return DoubleDouble(root) + (a - DoubleDouble(root) * root) / (2.0 * root);
  }

  static constexpr double epsilon = 0x1p-104;

private:
  static DoubleDouble exactly(double high, double low) {
    DoubleDouble r(high);
    r.low = low;
    return r;
  }
  static DoubleDouble sum(double a, double b) {
    const double s = a + b, v = s - a;
    return exactly(s, (a - (s - v)) + (b - v));
  }
  static DoubleDouble ordered(double large, double small) { // |large| >= |small|
    const double s = large + small;
    return exactly(s, small - (s - large));
  }
};

} // namespace stickslip

template <>
struct Eigen::NumTraits<stickslip::DoubleDouble> : Eigen::GenericNumTraits<stickslip::DoubleDouble> {
  using Real = stickslip::DoubleDouble;
  using NonInteger = stickslip::DoubleDouble;
  using Nested = stickslip::DoubleDouble;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 20,
    MulCost = 10
  };
  static Real epsilon() { return stickslip::DoubleDouble::epsilon; }
  static Real dummy_precision() { return 0x1p-90; }
  static int digits10() { return 31; }
};
