// Taylor flow of affine systems against closed forms and long times.
#include "check.hpp"

#include "core/affine_taylor.hpp"
#include "core/linalg.hpp"
#include "core/polynomial.hpp"

#include <stdexcept>

using namespace stickslip;

namespace {

constexpr double pi = 3.14159265358979323846;

struct Series {
  Matrix C;
  double h = 0.0;
};

Vector vector(std::initializer_list<double> values) {
  Vector v(static_cast<Index>(values.size()));
  Index i = 0;
  for (const double x : values) v(i++) = x;
  return v;
}

Matrix two_by_two(double a, double b, double c, double d) {
  return (Matrix(2, 2) << a, b, c, d).finished();
}

Series series(const Matrix& A, const Matrix& S, const Matrix& s, const Vector& x0, double horizon,
              const Vector& scale, Index columns = affine_taylor_degree + 1) {
  Series out{Matrix(A.rows(), columns), 0.0};
  const Index degree = affine_taylor(A, S, s, x0.data(), horizon, StateSizes(scale), out.C, out.h);
  out.C.conservativeResize(A.rows(), degree + 1);
  return out;
}

Series free_series(const Matrix& A, const Vector& x0, double horizon, const Vector& scale) {
  return series(A, Matrix(A.rows(), 0), Matrix(0, 1), x0, horizon, scale);
}

Vector at(const Series& s, double theta) {
  Vector x(s.C.rows());
  polynomial::values(s.C.data(), s.C.rows(), s.C.cols(), theta, x.data());
  return x;
}

// Step after step under a constant drive.
Vector propagate(const Matrix& A, const Vector& drive, Vector x, double t, const Vector& scale,
                 int* steps = nullptr) {
  while (t > 0.0) {
    const Series s = series(A, drive, Matrix::Ones(1, 1), x, t, scale);
    x = at(s, 1.0);
    t = s.h < t ? t - s.h : 0.0;
    if (steps) ++*steps;
  }
  return x;
}

} // namespace

TEST(affine_taylor, coefficients_of_an_oscillation) {
  const double w = 2.0 * pi; // x = cos(w t): the terms are (w h)^k / k! cos(k pi / 2)
  const Series s = free_series(two_by_two(0, 1, -w * w, 0), vector({1, 0}), 100.0, vector({1, w}));
  check::that(s.h > 0.5 && s.h < 0.6); // a little more than half a period
  const double sign[] = {1, 0, -1, 0};
  double term = 1.0;
  for (Index k = 0; k < s.C.cols(); ++k) {
    check::close(s.C(0, k), sign[k % 4] * term, 1e-14 * term);
    term *= w * s.h / static_cast<double>(k + 1);
  }
  check::below(s.C.row(0).cwiseAbs().maxCoeff(), 30.0);
  for (double theta = 0.0; theta <= 1.0; theta += 0.1)
    check::close(at(s, theta)(0), std::cos(w * s.h * theta), 1e-15);
}

TEST(affine_taylor, nominal_sizes_may_be_wrong_by_much) {
  const double w = 2.0 * pi;
  for (const Vector& scale : {vector({1, 1}), vector({1e-3, 1}), vector({1, 1e-3})}) {
    const Series s = free_series(two_by_two(0, 1, -w * w, 0), vector({1, 0}), 100.0, scale);
    check::that(s.h > 0.05);
    for (const double theta : {0.3, 1.0}) check::close(at(s, theta)(0), std::cos(w * s.h * theta), 1e-14);
  }
}

TEST(affine_taylor, terms_lost_to_underflow_are_not_the_end_of_the_series) {
  for (const double tiny : {1e-12, 1e-14, 1e-16, 1e-18, 1e-25}) {
    const Series s = free_series(two_by_two(0, 1, -1, 0), vector({0, 1}), 1e6, vector({tiny, 1}));
    check::that(s.C.allFinite() && s.h > 0.0);
    check::close(at(s, 1.0)(0), std::sin(s.h), 1e-14 * s.h);
  }
}

TEST(affine_taylor, errors_grow_slowly_over_many_periods) {
  const double w = 2.0 * pi;
  const std::pair<double, double> runs[] = {{1e3, 1e-13}, {1e5, 1e-11}};
  for (const auto& [periods, bound] : runs) {
    int steps = 0;
    const Vector x = propagate(two_by_two(0, 1, -w * w, 0), vector({0, 0}), vector({1, 0}), periods,
                               vector({1, w}), &steps);
    check::close(x(0), 1.0, bound);
    check::close(x(1) / w, 0.0, 3.0 * bound);
    check::below(steps, 2.7 * periods);
  }
}

// Masses in a row on springs between two walls, by their modes: sines over the masses, each a damped oscillator.
TEST(affine_taylor, driven_chains_against_their_modes) {
  const double k = 50.0, d = 1e-3, t = 37.3;
  for (const Index n : {1, 2, 3, 4, 5, 8}) {
    check::Random random(static_cast<std::uint64_t>(n));
    const Vector x0 = random.matrix(Vector(2 * n)), f = random.matrix(Vector(n));
    Matrix K = 2.0 * Matrix::Identity(n, n);
    K.diagonal(1).setConstant(-1.0), K.diagonal(-1).setConstant(-1.0);
    Matrix A = Matrix::Zero(2 * n, 2 * n);
    A.topRightCorner(n, n).setIdentity();
    A.bottomLeftCorner(n, n) = -k * K;
    A.bottomRightCorner(n, n) = -d * K;
    Vector drive = Vector::Zero(2 * n), expected = Vector::Zero(2 * n);
    drive.tail(n) = f;
    const double part = pi / static_cast<double>(n + 1);
    for (Index mode = 1; mode <= n; ++mode) {
      Vector shape(n);
      for (Index i = 0; i < n; ++i)
        shape(i) = std::sqrt(2.0 / static_cast<double>(n + 1)) *
                   std::sin(part * static_cast<double>(mode * (i + 1)));
      const double lambda = 2.0 - 2.0 * std::cos(part * static_cast<double>(mode));
      const double a = d * lambda / 2.0, w = std::sqrt(k * lambda - a * a),
                   rest = shape.dot(f) / (k * lambda);
      const double u = shape.dot(x0.head(n)) - rest, b = (shape.dot(x0.tail(n)) + a * u) / w;
      const double c = std::cos(w * t), s = std::sin(w * t), decay = std::exp(-a * t);
      expected.head(n) += shape * (rest + decay * (u * c + b * s));
      expected.tail(n) += shape * (decay * (w * (b * c - u * s) - a * (u * c + b * s)));
    }
    check::all_close(propagate(A, drive, x0, t, Vector::Ones(2 * n)), expected, 5e-12);
  }
}

TEST(affine_taylor, random_matrices_against_the_exponential) {
  for (const Index n : {1, 2, 3, 5, 7, 9, 12}) {
    check::Random random(static_cast<std::uint64_t>(40 + n));
    const Matrix A = 2.0 * random.matrix(Matrix(n, n));
    const Vector x0 = random.matrix(Vector(n)), drive = random.matrix(Vector(n));
    Matrix B = Matrix::Zero(n + 1, n + 1);
    B.topLeftCorner(n, n) = A, B.topRightCorner(n, 1) = drive;
    Vector from(n + 1);
    from << x0, 1.0;
    const Vector expected = (linalg::exponential(2.5 * B) * from).head(n);
    check::all_close(propagate(A, drive, x0, 2.5, Vector::Ones(n)), expected,
                     4e-13 * expected.cwiseAbs().maxCoeff());
  }
}

TEST(affine_taylor, defective_matrix) {
  const double w = 3.0, t = 2.7; // critically damped, one eigenvector only
  const Vector x =
      propagate(two_by_two(0, 1, -w * w, -2 * w), vector({0, 0}), vector({1, 0}), t, vector({1, 1}));
  check::close(x(0), (1 + w * t) * std::exp(-w * t), 1e-13 * x(0));
  check::close(x(1), -w * w * t * std::exp(-w * t), -1e-13 * x(1));
}

TEST(affine_taylor, two_mass_drive_of_tonnes_and_micrometres) {
  const double m = 1000.0, c = 5e6, d = 1341.64, a = d / m, t = 3.0;
  Matrix A = Matrix::Zero(4, 4);
  A.row(0) << -a, a, -c / m, c / m;
  A.row(1) = -A.row(0);
  A(2, 0) = A(3, 1) = 1.0;
  const Vector x0 = vector({1e-4, 0.0, 5e-5, 0.0});
  const Vector x = propagate(A, Vector::Zero(4), x0, t, vector({1e-3, 1e-3, 5e-5, 5e-5}));
  const double w = std::sqrt(2 * c / m - a * a), r0 = 5e-5, s0 = 1e-4;
  const double relative = std::exp(-a * t) * (r0 * std::cos(w * t) + (s0 + a * r0) / w * std::sin(w * t));
  const double centre = 2.5e-5 + 5e-5 * t;
  check::close(x(2), centre + relative / 2, 3e-14 * centre);
  check::close(x(3), centre - relative / 2, 3e-14 * centre);
}

TEST(affine_taylor, stiff_matrix) {
  const double a = 1e6, b = 100.0, t = 1e-3; // exact, at the price of steps of a few fast time constants
  int steps = 0;
  const Vector x = propagate(two_by_two(0, 1, -a * b, -(a + b)), vector({0, 0}), vector({1, 0}), t,
                             vector({1, b}), &steps);
  const double expected = (a * std::exp(-b * t) - b * std::exp(-a * t)) / (a - b);
  check::close(x(0), expected, 1e-12 * expected);
  check::that(steps > 50 && steps < 1000);
}

TEST(affine_taylor, series_that_end_take_the_whole_horizon) {
  const Series fall = series(two_by_two(0, 1, 0, 0), vector({0, 1}), Matrix::Constant(1, 1, -9.81),
                             vector({3, 4}), 1000.0, vector({1e-3, 1e-3}));
  check::same(fall.h, 1000.0);
  check::all_close(fall.C, (Matrix(2, 3) << 3.0, 4000.0, -9.81e6 / 2, 4.0, -9810.0, 0.0).finished(), 1e-9);
  const Series still = free_series(Matrix::Zero(2, 2), vector({3, 4}), 1e9, vector({1, 1}));
  check::same(still.h, 1e9);
  check::all_close(still.C, vector({3, 4}), 0.0);
  // v' = 6 tau, x' = v: x = tau^3, though the signal's first coefficient is zero.
  const Series cubic = series(two_by_two(0, 1, 0, 0), vector({0, 1}), (Matrix(1, 2) << 0.0, 6.0).finished(),
                              vector({0, 0}), 2.0, vector({1, 1}));
  check::same(cubic.h, 2.0);
  check::all_close(cubic.C, (Matrix(2, 4) << 0, 0, 0, 8, 0, 0, 12, 0).finished(), 0.0);
}

TEST(affine_taylor, harmonic_drive) {
  const double w = 3.0, q = 5.0; // an oscillator under sin(q t) from rest
  Matrix s(1, 31);
  Vector x = vector({0, 0});
  for (double t = 0.0; t < 10.0;) {
    double factor = 1.0;
    for (Index k = 0; k < 31; ++k) {
      s(0, k) = std::sin(q * t + static_cast<double>(k) * pi / 2) * factor;
      factor *= q / static_cast<double>(k + 1);
    }
    const Series step = series(two_by_two(0, 1, -w * w, 0), vector({0, 1}), s, x, 10.0 - t, vector({1, w}));
    for (const double theta : {0.4, 1.0}) {
      const double now = t + theta * step.h;
      check::close(at(step, theta)(0), (std::sin(q * now) - q / w * std::sin(w * now)) / (w * w - q * q),
                   2e-14);
    }
    t += step.h;
    x = at(step, 1.0);
  }
}

TEST(affine_taylor, a_short_horizon_needs_few_terms_and_steps_add_up_without_rounding) {
  const double w = 2.0 * pi;
  const Series brief = free_series(two_by_two(0, 1, -w * w, 0), vector({1, 1}), 1e-3, vector({1, w}));
  check::that(brief.h == 1e-3 && brief.C.cols() <= 11);
  int exponent = 0;
  const double h = free_series(two_by_two(0, 1, -w * w, 0), vector({1, 0.3}), 100.0, vector({1, w})).h;
  const double mantissa = std::frexp(h, &exponent) * 0x1p24;
  check::same(mantissa, std::floor(mantissa));
}

TEST(affine_taylor, too_few_columns) {
  check::throws<std::invalid_argument>(
      [] {
        series(Matrix::Identity(2, 2), Matrix(2, 0), Matrix(0, 1), vector({1, 1}), 1.0, vector({1, 1}), 2);
      },
      "C needs at least 3 columns");
}
