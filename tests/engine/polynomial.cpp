// Vector polynomials over one step, against sums of powers in extended precision.
#include "check.hpp"

#include "core/polynomial.hpp"

using namespace stickslip;

namespace {

const Matrix C = check::Random(1).matrix(Matrix(3, 9));

// d^order/dtau^order of row i at theta, tau = h theta.
double derivative_of(Index i, double theta, double h, int order) {
  long double sum = 0.0L;
  for (Index k = order; k < C.cols(); ++k) {
    long double term =
        C(i, k) * std::pow(static_cast<long double>(theta), static_cast<long double>(k - order));
    for (int j = 0; j < order; ++j) term *= static_cast<long double>(k - j) / h;
    sum += term;
  }
  return static_cast<double>(sum);
}

Vector value_of(const Matrix& c, double theta) {
  Vector x(c.rows());
  polynomial::value(c, theta, x);
  return x;
}

} // namespace

TEST(polynomial, value_and_derivatives) {
  const double h = 0.01;
  for (const double theta : {0.0, 0.3, 1.0, -0.5}) {
    const Vector x = value_of(C, theta);
    for (Index i = 0; i < 3; ++i) check::close(x(i), derivative_of(i, theta, h, 0), 2e-15);
    for (int order = 1; order < 5; ++order) {
      Vector d(3);
      polynomial::derivative(C, theta, h, order, d);
      for (Index i = 0; i < 3; ++i) {
        const double expected = derivative_of(i, theta, h, order);
        check::close(d(i), expected, 1e-13 * std::abs(expected) + 1e-12 * std::pow(h, -order));
      }
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

TEST(polynomial, shift_keeps_the_curve) {
  Matrix out(3, 9);
  polynomial::shift(C, 0.3, 0.25, out);
  for (const double s : {0.0, 0.2, 0.5, 0.8, 1.0})
    check::all_close(value_of(out, s), value_of(C, 0.3 + 0.25 * s), 1e-14);
}

TEST(polynomial, projection) {
  const Vector w = (Vector(3) << 1.0, -2.0, 0.5).finished();
  Vector c(9);
  polynomial::project(C, w, 3.0, c.data());
  for (Index k = 0; k < 9; ++k)
    check::close(c(k), C(0, k) - 2.0 * C(1, k) + 0.5 * C(2, k) + (k == 0 ? 3.0 : 0.0), 1e-15);
}
