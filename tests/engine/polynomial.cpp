// Polynomials over one step, against sums of powers in extended precision.
#include "check.hpp"

#include "core/polynomial.hpp"

using namespace stickslip;

namespace {

const Matrix C = check::Random(1).matrix(Matrix(3, 9));

} // namespace

TEST(polynomial, values) {
  for (const double theta : {0.0, 0.3, 1.0, -0.5}) {
    Vector x(3);
    polynomial::values(C.data(), 3, C.cols(), theta, x.data());
    for (Index i = 0; i < 3; ++i) {
      long double sum = 0.0L;
      for (Index k = 0; k < C.cols(); ++k)
        sum += C(i, k) * std::pow(static_cast<long double>(theta), static_cast<long double>(k));
      check::close(x(i), static_cast<double>(sum), 2e-15);
    }
  }
}

TEST(polynomial, value_and_slope_of_a_scalar) {
  for (Index degree = 0; degree < 9; ++degree)
    for (const double theta : {0.0, 0.37, 1.0}) {
      const Vector c = C.row(1).head(degree + 1).transpose();
      double value = 0.0, slope = 0.0;
      for (Index k = degree; k >= 0; --k) slope = slope * theta + value, value = value * theta + c(k);
      const auto both = polynomial::value_slope(c.data(), degree, theta);
      check::close(both.value, value, 2e-15);
      check::close(both.slope, slope, 2e-14);
      check::same(polynomial::value(c.data(), degree, theta), value);
    }
}
