// The set of forces that stuck places, and contacts that lean against them, can take together.
#include "core/linalg.hpp"
#include "dynamics/regime_parts.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

using ConstVector = Eigen::Map<const Vector>;

// Facets of the set of forces that the stuck places can take together: for every rank - 1 independent columns
// the direction normal to them. W has full row rank; its columns belong to the stuck places, and behind them the
// leaning contacts, `which`. A contact takes no pull: it bounds the sum on one side, or not at all.
static void find_facets(const Matrix& W, const std::vector<Index>& which, Regime& r) {
  const Index rank = W.rows(), m = W.cols();
  std::vector<Index> pick(static_cast<std::size_t>(rank - 1));
  for (std::size_t i = 0; i < pick.size(); ++i) pick[i] = static_cast<Index>(i);
  std::vector<Vector> known;
  while (true) {
    Matrix chosen(rank, rank - 1);
    for (std::size_t i = 0; i < pick.size(); ++i) chosen.col(static_cast<Index>(i)) = W.col(pick[i]);
    Vector y = Vector::Ones(1);
    bool independent = true;
    if (rank > 1) {
      const linalg::Svd svd(chosen);
      independent = svd.values(rank - 2) > 1e-9 * W.cwiseAbs().maxCoeff();
      y = svd.U.col(rank - 1);
    }
    if (independent) {
      Facet f;
      const Vector along = W.transpose() * y;
      const double size = along.cwiseAbs().maxCoeff();
      const auto stuck = static_cast<Index>(r.stuck.size());
      std::vector<double> share, contact_share;
      double side = 0.0;
      for (Index i = 0; i < m; ++i) {
        if (std::abs(along(i)) <= 1e-9 * size) continue;
        if (side == 0.0) side = along(i) < 0.0 ? -1.0 : 1.0;
        const Index column = which[static_cast<std::size_t>(i)];
        const double weight = side * along(i) / size;
        if (column < stuck) {
          f.members.push_back(column);
          share.push_back(weight);
        } else {
          f.contacts.push_back(r.leaning[static_cast<std::size_t>(column - stuck)]);
          contact_share.push_back(weight);
          (weight > 0.0 ? f.down : f.up) = false;
        }
      }
      f.share = ConstVector(share.data(), static_cast<Index>(share.size()));
      f.contact_share = ConstVector(contact_share.data(), static_cast<Index>(contact_share.size()));
      const Vector signature = along * (side / size);
      bool fresh = true;
      for (const Vector& k : known) fresh = fresh && (k - signature).cwiseAbs().maxCoeff() > 1e-9;
      if (fresh) {
        known.push_back(signature);
        if (f.up || f.down) r.facets.push_back(std::move(f));
      }
    }
    // next combination
    Index i = rank - 2;
    while (i >= 0 && pick[static_cast<std::size_t>(i)] == m - (rank - 1) + i) --i;
    if (i < 0) return;
    ++pick[static_cast<std::size_t>(i)];
    for (Index j = i + 1; j < rank - 1; ++j)
      pick[static_cast<std::size_t>(j)] = pick[static_cast<std::size_t>(j - 1)] + 1;
  }
}

// The same, group by group of places that depend on each other: two places under each block of a long train
// are as many small problems, not one whose combinations grow beyond counting.
void find_facets(const Matrix& W, Regime& r) {
  const Index rank = W.rows(), m = W.cols();
  std::vector<Index> order = linalg::pivot_order(W);
  order.resize(static_cast<std::size_t>(rank));
  Matrix T = linalg::solve(W(Eigen::all, order), W); // every column as a combination of the basis
  T = (T.array().abs() > 1e-9).select(T, 0.0);
  std::vector<Index> group(static_cast<std::size_t>(m));
  for (Index j = 0; j < m; ++j) group[static_cast<std::size_t>(j)] = j;
  for (Index k = 0; k < rank; ++k)
    for (Index j = 0; j < m; ++j) {
      if (T(k, j) == 0.0) continue;
      const Index from = group[static_cast<std::size_t>(j)],
                  to = group[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
      if (from != to) std::replace(group.begin(), group.end(), from, to);
    }
  for (Index g = 0; g < m; ++g) {
    std::vector<Index> which, rows;
    for (Index j = 0; j < m; ++j)
      if (group[static_cast<std::size_t>(j)] == g) which.push_back(j);
    for (Index k = 0; k < rank; ++k)
      if (group[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] == g) rows.push_back(k);
    if (!rows.empty()) find_facets(T(rows, which), which, r);
  }
}

} // namespace stickslip
