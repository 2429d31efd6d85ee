#include "contact/preload.hpp"

#include "contact/held_limits.hpp"
#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>

namespace stickslip::contact {

namespace {

constexpr Index most_sets = 32;

// Orthonormal basis of all y with A y = 0.
Matrix null_space(const Matrix& A) {
  if (A.rows() == 0) return Matrix::Identity(A.cols(), A.cols());
  const linalg::Svd svd(A);
  return svd.V.rightCols(A.cols() - (svd.values.array() > tolerance::matrix_zero).count());
}

// Some p = A y >= 0 that is not zero; empty: there is none.
Vector preload(const Matrix& A) {
  Matrix rows(A.rows() + 1, A.cols());
  Index count = 0;
  for (Index k = 0; k < A.rows(); ++k)
    if (A.row(k).cwiseAbs().maxCoeff() > tolerance::matrix_zero) rows.row(count++) = A.row(k);
  rows.row(count++) = A.colwise().sum(); // at least one
  if (!(rows.row(count - 1).cwiseAbs().maxCoeff() > tolerance::matrix_zero)) return {};
  const Matrix C = rows.topRows(count);
  Matrix margins = Matrix::Zero(count, 1);
  margins(count - 1, 0) = -1.0;
  const HeldLimits at = held_limits(C * C.transpose(), margins, Matrix::Ones(count, 1));
  if (!at.found) return {};
  const Matrix held = C(at.held, Eigen::all);
  return A * (held.transpose() * linalg::solve(held * held.transpose(), -margins(at.held, Eigen::all)));
}

bool part_of(const List<Index>& a, const List<Index>& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

// Without each contact of a preload in turn, until none is left.
void relieve(const Matrix& shifts, List<Index>& without, List<List<Index>>& out) {
  if (out.size() >= most_sets) return;
  const Matrix left = without.empty() ? shifts : shifts * null_space(shifts(without, Eigen::all));
  const Vector p = left.cols() > 0 ? preload(left) : Vector();
  if (p.size() == 0) {
    List<Index> sorted = without;
    std::sort(sorted.begin(), sorted.end());
    if (std::any_of(out.begin(), out.end(), [&](const List<Index>& one) { return part_of(one, sorted); }))
      return;
    std::erase_if(out, [&](const List<Index>& one) { return part_of(sorted, one); });
    out.push_back(sorted);
    return;
  }
  for (Index k = 0; k < p.size(); ++k) {
    if (!(p(k) > tolerance::matrix_zero * p.maxCoeff())) continue;
    without.push_back(k);
    relieve(shifts, without, out);
    without.pop_back();
  }
}

} // namespace

List<List<Index>> relieving_contacts(const Matrix& normal, const Matrix& friction) {
  const Matrix alone = normal * null_space(friction);
  if (alone.cols() == 0) return {};
  List<List<Index>> out;
  List<Index> without;
  relieve(alone, without, out);
  return out.size() == 1 && out[0].empty() ? List<List<Index>>() : out;
}

List<List<Index>> relieving_contacts(const Matrix& effects) {
  const linalg::Svd svd(effects);
  return relieving_contacts(svd.V.rightCols(effects.cols() - svd.rank(tolerance::rank)),
                            Matrix(0, effects.cols() - svd.rank(tolerance::rank)));
}

} // namespace stickslip::contact
