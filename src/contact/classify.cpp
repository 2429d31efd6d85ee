#include "contact/classify.hpp"

#include "contact/enumerate.hpp"
#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <cmath>

namespace stickslip::lcp {

namespace {

// M is P if and only if m_11 > 0, M without row and column 1 is P, and the Schur complement of m_11 is P
// (Tsatsomeros, Li 2000): 2^n small eliminations instead of 2^n determinants.
bool is_p(const Matrix& m, double tolerance) {
  const Index n = m.rows();
  if (!(m(0, 0) > tolerance)) return false;
  if (n == 1) return true;
  const Matrix rest = m.bottomRightCorner(n - 1, n - 1);
  for (Index i = 0; i < n - 1; ++i)
    if (!(rest(i, i) > tolerance)) return false;
  return is_p(rest - m.col(0).tail(n - 1) * (m.row(0).tail(n - 1) / m(0, 0)), tolerance) &&
         is_p(rest, tolerance);
}

bool only_zero(const RowMatrix& s, double q) {
  EnumerationWorkspace ws;
  const Vector ones = Vector::Constant(s.rows(), q);
  const Enumeration all = solve_all(view(s, ones), ws);
  for (const Solution& x : all.solutions)
    if (x.z.maxCoeff() > 0.0 || x.continuum()) return false;
  return true;
}

} // namespace

Classification classify(const Problem& p, double tolerance) {
  Classification c;
  const Index n = p.n;
  if (n == 0) return {Answer::yes, true, true, Answer::yes, Answer::yes};
  // Symmetric scaling to a unit diagonal keeps every class and makes the tolerance one of angles, not of
  // units.
  RowMatrix m = Eigen::Map<const RowMatrix>(p.M, n, n);
  Vector scale(n);
  for (Index i = 0; i < n; ++i) {
    const double d = std::abs(m(i, i));
    const double row = m.row(i).cwiseAbs().maxCoeff();
    scale(i) = d > tolerance::few_terms * row ? 1.0 / std::sqrt(d) : (row > 0.0 ? 1.0 / std::sqrt(row) : 1.0);
  }
  m = scale.asDiagonal() * m * scale.asDiagonal();
  const RowMatrix symmetric = 0.5 * (m + m.transpose());
  const Vector eigenvalue = linalg::symmetric_eigenvalues(symmetric);
  const double zero = tolerance * std::max(1.0, eigenvalue.cwiseAbs().maxCoeff()) * static_cast<double>(n);
  c.positive_definite = eigenvalue(0) > zero;
  c.positive_semidefinite = eigenvalue(0) >= -zero;
  if (c.positive_definite)
    c.p_matrix = Answer::yes;
  else if ((m.diagonal().array() <= tolerance).any())
    c.p_matrix = Answer::no;
  else if (n <= largest_exact_classification)
    c.p_matrix = is_p(m, tolerance) ? Answer::yes : Answer::no;
  // A minimiser x of x'Sx over the simplex obeys (Sx)_i = x'Sx on its support and >= outside; if the minimum
  // is negative, x / |x'Sx| solves w = S z + 1, if it is zero, x solves w = S z. The converses are immediate.
  if (c.positive_definite) {
    c.copositive = c.strictly_copositive = Answer::yes;
  } else if ((m.diagonal().array() < -tolerance).any()) {
    c.copositive = c.strictly_copositive = Answer::no;
  } else if (n <= largest_exact_classification) {
    c.copositive = c.positive_semidefinite || only_zero(symmetric, 1.0) ? Answer::yes : Answer::no;
    c.strictly_copositive =
        c.copositive == Answer::yes && only_zero(symmetric, 0.0) ? Answer::yes : Answer::no;
  } else if (c.positive_semidefinite) {
    c.copositive = Answer::yes;
  } else if ((m.array() >= 0.0).all()) {
    c.copositive = Answer::yes;
    c.strictly_copositive = (m.diagonal().array() > tolerance).all() ? Answer::yes : Answer::unknown;
  }
  return c;
}

} // namespace stickslip::lcp
