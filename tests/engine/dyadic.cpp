// Dyadic rational numbers: identities of exact arithmetic, and doubles as they come back.
#include "check.hpp"

#include "core/dyadic.hpp"

#include <cmath>
#include <limits>

using stickslip::Dyadic;

namespace {

// Of any sign and size, often with trailing zeros.
double number(check::Random& random) {
  const double digits = std::floor(random.uniform(-1.0, 1.0) * (random.uniform() < 0.5 ? 0x1p52 : 16.0));
  return std::ldexp(digits, static_cast<int>(random.uniform(-900.0, 900.0)));
}

Dyadic product(check::Random& random, int factors) {
  Dyadic p(1.0);
  for (int k = 0; k < factors; ++k) p = p * Dyadic(number(random)) + Dyadic(number(random));
  return p;
}

bool equal(const Dyadic& a, const Dyadic& b) {
  return (a - b).sign() == 0 && !(a < b) && !(b < a);
}

} // namespace

TEST(dyadic, doubles_come_back) {
  check::Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const double x = number(random);
    check::same(ratio(Dyadic(x), Dyadic(1.0)), x);
    check::that(Dyadic(x).sign() == (x > 0.0) - (x < 0.0));
  }
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  check::same(ratio(Dyadic(least), Dyadic(1.0)), least);
  check::same(ratio(Dyadic(most), Dyadic(1.0)), most);
  check::same(ratio(Dyadic(most), Dyadic(least)), std::numeric_limits<double>::infinity());
  check::same(ratio(Dyadic(1.0), Dyadic(3.0)), 1.0 / 3.0);
}

TEST(dyadic, sums_and_products_obey_the_laws_of_algebra) {
  check::Random random(2);
  for (int k = 0; k < 500; ++k) {
    const Dyadic a = product(random, 3), b = product(random, 2), c = product(random, 4);
    check::that(equal(a + b, b + a) && equal((a + b) + c, a + (b + c)));
    check::that(equal(a * b, b * a) && equal((a * b) * c, a * (b * c)));
    check::that(equal(a * (b - c), a * b - a * c));
    check::that((a < b) == ((b - a).sign() > 0));
  }
}

TEST(dyadic, quotients_undo_products) {
  check::Random random(3);
  for (int k = 0; k < 500; ++k) {
    const Dyadic a = product(random, 3), b = product(random, 2);
    if (b.sign() == 0) continue;
    check::that(equal(exact_quotient(a * b, b), a));
    if (a.sign() != 0) check::same(ratio(a * b, a * b * Dyadic(3.0)), 1.0 / 3.0);
  }
}

TEST(dyadic, odd_divisor_of_multiples) {
  check::that(equal(odd_divisor(Dyadic(60.0), Dyadic(-0.5625)), Dyadic(3.0))); // 60 = 4 * 15, 9/16
  check::that(equal(odd_divisor(Dyadic(0.0), Dyadic(12.0)), Dyadic(3.0)));
  check::that(equal(odd_divisor(Dyadic(0.0), Dyadic(0.0)), Dyadic(1.0)));
  check::Random random(4);
  for (int k = 0; k < 200; ++k) {
    const Dyadic a = product(random, 2), b = product(random, 2), c = product(random, 2);
    if (a.sign() == 0 || b.sign() == 0 || c.sign() == 0) continue;
    const Dyadic g = odd_divisor(a * c, b * c); // a multiple of the odd part of c
    check::that(equal(exact_quotient(g, odd_divisor(c, Dyadic(0.0))) * odd_divisor(c, Dyadic(0.0)), g));
    check::that(equal(odd_divisor(exact_quotient(a * c, g), exact_quotient(b * c, g)), Dyadic(1.0)));
  }
}
