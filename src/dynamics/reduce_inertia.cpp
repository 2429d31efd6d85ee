#include "dynamics/reduce_inertia.hpp"

#include "core/linalg.hpp"
#include "core/tolerances.hpp"

namespace stickslip {

namespace {

// G^+; `unique`: for each force, true if it is determinate.
Matrix inverse_of_rows(const Matrix& G, Constraints& c) {
  const Index m = G.rows();
  const auto all_unique = [&](bool unique) {
    for (Constraint& one : c.all) one.unique = unique;
  };
  all_unique(true);
  if (m == 1 && G(0, 0) > 0.0) return G.cwiseInverse();
  const Vector unit = (G.diagonal().array() > 0.0).select(G.diagonal().cwiseSqrt().cwiseInverse(), 0.0);
  const Matrix scaled = unit.asDiagonal() * G * unit.asDiagonal();
  if (!scaled.allFinite()) return scaled; // the run ends there
  if (linalg::full_rank(scaled, tolerance::rank))
    return unit.asDiagonal() * linalg::inverse(scaled) * unit.asDiagonal();
  const linalg::Svd svd(scaled);
  const Index rank = svd.rank(tolerance::rank);
  for (Index k = 0; k < m; ++k)
    c.all[k].unique = svd.V.rightCols(m - rank).row(k).norm() <= tolerance::matrix_zero;
  return unit.asDiagonal() * svd.pseudo_inverse(rank) * unit.asDiagonal();
}

} // namespace

void reduce_inertia(Constraints& c, const Matrix& inverse_mass) {
  const Index n = inverse_mass.rows(), m = c.all.size();
  Matrix W(n, m);
  for (Index k = 0; k < m; ++k) W.col(k) = c.all[k].row;
  const Matrix U = inverse_mass * W;
  const Matrix H = inverse_of_rows(W.transpose() * U, c);
  c.prescribed = U * H;
  c.forces = -c.prescribed.transpose();
  const Matrix taken = c.prescribed * U.transpose(),
               terms = inverse_mass.cwiseAbs() + c.prescribed.cwiseAbs() * U.cwiseAbs().transpose();
  c.inverse_mass = inverse_mass - 0.5 * (taken + taken.transpose());
  linalg::drop_rounding(c.inverse_mass, terms, tolerance::per_term); // so that fixed coordinates do not move
}

} // namespace stickslip
