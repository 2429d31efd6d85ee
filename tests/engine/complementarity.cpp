// Linear complementarity problems: Lemke against the enumeration of all solutions, and known examples.
#include "check.hpp"

#include "contact/enumerate.hpp"
#include "contact/lemke.hpp"

using namespace stickslip;
using lcp::RowMatrix;

namespace {

// What w = M z + q, w, z >= 0, w'z = 0 leaves over, in absolute terms.
double violation(const RowMatrix& M, const Vector& q, const Vector& z) {
  const Vector w = M * z + q;
  return std::max({0.0, -z.minCoeff(), -w.minCoeff(), std::abs(w.dot(z))});
}

lcp::Enumeration solve_all(const RowMatrix& M, const Vector& q) {
  lcp::EnumerationWorkspace ws;
  return lcp::solve_all(lcp::view(M, q), ws);
}

} // namespace

TEST(complementarity, positive_definite_problems_have_one_solution_and_both_find_it) {
  check::Random random(1);
  for (const Index n : {1, 2, 3, 5, 8}) {
    for (int trial = 0; trial < 50; ++trial) {
      const Matrix root = random.matrix(Matrix(n, n)), skew = random.matrix(Matrix(n, n));
      const RowMatrix M =
          root * root.transpose() + 0.1 * Matrix::Identity(n, n) + 0.5 * (skew - skew.transpose());
      const Vector q = random.matrix(Vector(n));
      lcp::LemkeWorkspace ws;
      const auto result = lcp::lemke(lcp::view(M, q), ws);
      check::that(result.solved());
      const Vector z = Eigen::Map<const Vector>(ws.z.data(), n);
      check::below(violation(M, q, z), 1e-10);
      const auto all = solve_all(M, q);
      check::that(all.solutions.size() == 1);
      if (!all.solutions.empty()) check::all_close(all.solutions[0].z, z, 1e-10 * (1.0 + z.maxCoeff()));
    }
  }
}

TEST(complementarity, several_and_none) {
  // M = -1, q = 1: z = 0 and z = 1. M = -1, q = -1: w < 0 whatever z.
  const RowMatrix M = RowMatrix::Constant(1, 1, -1.0);
  const auto two = solve_all(M, Vector::Ones(1));
  check::that(two.solutions.size() == 2);
  double sum = 0.0;
  for (const auto& s : two.solutions) sum += s.z(0);
  check::same(sum, 1.0);
  const Vector below = -Vector::Ones(1);
  check::that(solve_all(M, below).solutions.empty());
  lcp::LemkeWorkspace ws;
  check::that(lcp::lemke(lcp::view(M, below), ws).status == lcp::Status::ray);
}

TEST(complementarity, a_block_on_a_rough_floor) {
  // Sliding block pressed down by g: unknowns (friction on both sides, normal force) in the form of Glocker:
  // w1 = v+ ... with mu = 0.5 and a pull below mu m g the block stays, above it accelerates by pull - mu g.
  const double g = 9.81, mu = 0.5;
  for (const double pull : {3.0, 8.0}) {
    // a+ - a- = pull - F, F = mu g - s, with a+ >= 0 against s = mu g - F >= 0: a+ = pull - mu g + s.
    const RowMatrix M = RowMatrix::Ones(1, 1);
    const Vector q = Vector::Constant(1, pull - mu * g);
    lcp::LemkeWorkspace ws;
    check::that(lcp::lemke(lcp::view(M, q), ws).solved());
    check::close(ws.w[0], std::max(pull - mu * g, 0.0), 1e-14);    // acceleration
    check::close(mu * g - ws.z[0], std::min(pull, mu * g), 1e-14); // friction
  }
}

TEST(complementarity, units_of_rows_and_columns_do_not_matter) {
  check::Random random(2);
  const Matrix root = random.matrix(Matrix(6, 6));
  const RowMatrix M = root * root.transpose() + 0.1 * Matrix::Identity(6, 6);
  const Vector q = random.matrix(Vector(6));
  Vector row(6), column(6);
  for (Index i = 0; i < 6; ++i)
    row(i) = std::pow(10.0, random.uniform(-6, 6)), column(i) = std::pow(10.0, random.uniform(-6, 6));
  const RowMatrix scaled = row.asDiagonal() * M * column.asDiagonal();
  lcp::LemkeWorkspace plain, other;
  check::that(lcp::lemke(lcp::view(M, q), plain).solved());
  check::that(lcp::lemke(lcp::view(scaled, row.cwiseProduct(q)), other).solved());
  for (Index i = 0; i < 6; ++i) {
    const auto k = static_cast<std::size_t>(i);
    check::close(other.z[k] * column(i), plain.z[k], 1e-11 * (1.0 + std::abs(plain.z[k])));
  }
}
