// Dyadic rational numbers k 2^e of any size. Every double is one; sums and products are exact, and so are quotients that
// are dyadic again, such as those of fraction-free elimination.
#pragma once

#include "core/list.hpp"

#include <cstdint>

namespace stickslip {

class Dyadic {
public:
  Dyadic() = default;
  Dyadic(double x); // NOLINT: every finite double is one

  int sign() const { return sign_; }
  Dyadic operator-() const;
  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + -b; }
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b);
  friend bool operator<(const Dyadic& a, const Dyadic& b) {
    return a.sign_ != b.sign_ ? a.sign_ < b.sign_ : (a - b).sign_ < 0;
  }

  // a / b for a quotient that is dyadic (T. Jebelean, J. Symbolic Comput. 15 (1993) 169-180).
  friend Dyadic exact_quotient(const Dyadic& a, const Dyadic& b);
  // The largest odd integer that divides both; 1 if both are zero.
  friend Dyadic odd_divisor(const Dyadic& a, const Dyadic& b);
  // a / b as a double, within one unit in the last place; infinite above the range of doubles.
  friend double ratio(const Dyadic& a, const Dyadic& b);

private:
  using Limbs = List<std::uint32_t>;

  void normalise();           // neither the first nor the last limb is zero
  void shift_left(int bits);  // 0 <= bits < 32
  void shift_right(int bits); // the bits that go are zero

  int sign_ = 0;
  std::int64_t low_ = 0; // the number is sign * sum of limbs[k] 2^(32 (low + k))
  Limbs limbs_;
};

} // namespace stickslip
