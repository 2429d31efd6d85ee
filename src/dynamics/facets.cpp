// The set of forces that sticking elements can take together, where normal forces are unique.
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "dynamics/regime_parts.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;

// Facets of the set of forces that the sticking elements can take together: for every rank - 1 independent columns
// the direction normal to them. W has full row rank; its columns belong to the sticking elements `which`.
static void find_facets(const Matrix& W, const List<Index>& which, Regime& r) {
  const Index rank = W.rows(), m = W.cols();
  List<Index> pick(rank - 1);
  for (Index i = 0; i < rank - 1; ++i) pick[i] = i;
  List<Vector> known;
  while (true) {
    Matrix chosen(rank, rank - 1);
    for (Index i = 0; i < rank - 1; ++i) chosen.col(i) = W.col(pick[i]);
    Vector y = Vector::Ones(1);
    bool independent = true;
    if (rank > 1) {
      const linalg::Svd svd(chosen);
      independent = svd.values(rank - 2) > tolerance::matrix_zero * W.cwiseAbs().maxCoeff();
      y = svd.U.col(rank - 1);
    }
    if (independent) {
      Facet f;
      const Vector along = W.transpose() * y;
      const double size = along.cwiseAbs().maxCoeff();
      List<double> share;
      double side = 0.0;
      for (Index i = 0; i < m; ++i) {
        if (std::abs(along(i)) <= tolerance::matrix_zero * size) continue;
        if (side == 0.0) side = along(i) < 0.0 ? -1.0 : 1.0;
        f.members.push_back(which[i]);
        share.push_back(side * along(i) / size);
      }
      f.share = ConstVector(share.data(), share.size());
      const Vector signature = along * (side / size);
      bool fresh = true;
      for (const Vector& k : known)
        fresh = fresh && (k - signature).cwiseAbs().maxCoeff() > tolerance::matrix_zero;
      if (fresh) {
        known.push_back(signature);
        r.facets.push_back(std::move(f));
      }
    }
    // next combination
    Index i = rank - 2;
    while (i >= 0 && pick[i] == m - (rank - 1) + i) --i;
    if (i < 0) return;
    ++pick[i];
    for (Index j = i + 1; j < rank - 1; ++j) pick[j] = pick[j - 1] + 1;
  }
}

// The same, group by group of elements that depend on each other: two elements under each block of a long train
// are as many small problems, not one whose combinations grow beyond counting.
void find_facets(const Matrix& W, Regime& r) {
  const Index rank = W.rows(), m = W.cols();
  List<Index> order = linalg::pivot_order(W);
  order.resize(rank);
  Matrix T = linalg::solve(W(Eigen::all, order), W); // every column as a combination of the basis
  T = (T.array().abs() > tolerance::matrix_zero).select(T, 0.0);
  List<Index> group(m);
  for (Index j = 0; j < m; ++j) group[j] = j;
  for (Index k = 0; k < rank; ++k)
    for (Index j = 0; j < m; ++j) {
      if (T(k, j) == 0.0) continue;
      const Index from = group[j], to = group[order[k]];
      if (from != to) std::replace(group.begin(), group.end(), from, to);
    }
  for (const List<Index>& which : linalg::members(group)) {
    List<Index> rows;
    for (Index k = 0; k < rank; ++k)
      if (group[order[k]] == group[which[0]]) rows.push_back(k);
    if (!rows.empty()) find_facets(T(rows, which), which, r);
  }
}

} // namespace stickslip
