// The complementarity problem of forces that rigidity leaves open, decided on an interval after an instant.
#include "contact/lemke.hpp"
#include "contact/share.hpp"
#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

namespace {

// Rows: basic variables. Columns: margins w, multipliers mu, the covering variable z0, then the terms of the right-hand
// side. Its own unit for each row, so that K has a unit diagonal.
class Path {
public:
  Path(const Matrix& K, const Matrix& margins, const Matrix& sizes)
      : n(K.rows()), terms(margins.cols()), T(n, 2 * n + 1 + terms), size(sizes), basic(n) {
    T.leftCols(n).setIdentity();
    T.middleCols(n, n) = -K;
    T.col(2 * n).setConstant(-1.0);
    T.rightCols(terms) = margins;
    for (Index i = 0; i < n; ++i) basic[i] = i;
    for (Index j = 0; j < terms; ++j) size.col(j).array() += tolerance::least_size * size.col(j).maxCoeff();
  }

  HeldLimits run() {
    HeldLimits out;
    Index row = -1;
    for (Index i = 0; i < n; ++i)
      if (sign(i) < 0 && (row < 0 || before(i, row, -1.0, -1.0))) row = i;
    if (row < 0) {
      out.found = true;
      return out;
    }
    Index entering = 2 * n;
    for (Index step = 0; step < 20 * n + 50; ++step) {
      const Index leaving = pivot(row, entering);
      if (leaving == 2 * n) return result();
      entering = leaving < n ? leaving + n : leaving - n;
      row = blocking(entering);
      if (row < 0) {
        out.against = ray(entering);
        return out;
      }
    }
    return out;
  }

private:
  Index n, terms;
  lcp::RowMatrix T; // what goes on is a matter of rows
  Matrix size;
  List<Index> basic;

  double term(Index i, Index j) const { return T(i, 2 * n + 1 + j); }

  int sign(Index i) const {
    for (Index j = 0; j < terms; ++j)
      if (std::abs(term(i, j)) > tolerance::rest * size(i, j)) return term(i, j) > 0.0 ? 1 : -1;
    return 0;
  }

  // Whether row a divided by p comes before row b divided by q, the first of their terms that differ deciding; behind
  // these the columns of the first basis, so that no two rows are alike.
  bool before(Index a, Index b, double p, double q) const {
    for (Index j = 0; j < terms; ++j) {
      const double equal = tolerance::rest * (size(a, j) / std::abs(p) + size(b, j) / std::abs(q));
      const double difference = term(a, j) / p - term(b, j) / q;
      if (std::abs(difference) > equal) return p < 0.0 ? difference > 0.0 : difference < 0.0;
    }
    for (Index j = 0; j < n; ++j) {
      const double difference = T(a, j) / p - T(b, j) / q;
      if (std::abs(difference) > tolerance::entry) return p < 0.0 ? difference > 0.0 : difference < 0.0;
    }
    return false;
  }

  Index blocking(Index entering) const {
    Index row = -1;
    for (Index i = 0; i < n; ++i) {
      if (!(T(i, entering) > tolerance::entry)) continue;
      if (row < 0 || before(i, row, T(i, entering), T(row, entering))) row = i;
    }
    for (Index i = 0; i < n && row >= 0; ++i) // the covering variable leaves where it may
      if (basic[i] == 2 * n && T(i, entering) > tolerance::entry &&
          !before(row, i, T(row, entering), T(i, entering)))
        row = i;
    return row;
  }

  Index pivot(Index row, Index entering) {
    const double p = T(row, entering);
    T.row(row) /= p;
    size.row(row) /= std::abs(p);
    for (Index i = 0; i < n; ++i) {
      const double f = T(i, entering);
      if (i == row || f == 0.0) continue;
      T.row(i) -= f * T.row(row);
      T(i, entering) = 0.0;
      size.row(i) = size.row(i).cwiseMax(std::abs(f) * T.row(row).tail(terms).cwiseAbs());
    }
    const Index leaving = basic[row];
    basic[row] = entering;
    return leaving;
  }

  HeldLimits result() const {
    HeldLimits out;
    out.found = true;
    for (const Index b : basic)
      if (b >= n) out.held.push_back(b - n);
    std::sort(out.held.begin(), out.held.end());
    return out;
  }

  // Multipliers along the ray on which nothing blocks: they add up what can never be satisfied.
  List<Index> ray(Index entering) const {
    List<Index> out;
    double most = 1.0;
    for (Index i = 0; i < n; ++i)
      if (basic[i] >= n && basic[i] < 2 * n) most = std::max(most, -T(i, entering));
    for (Index i = 0; i < n; ++i)
      if (basic[i] >= n && basic[i] < 2 * n && -T(i, entering) > tolerance::entry * most)
        out.push_back(basic[i] - n);
    if (entering >= n && entering < 2 * n) out.push_back(entering - n);
    std::sort(out.begin(), out.end());
    return out;
  }
};

} // namespace

bool within_limits(const Matrix& margins, const Matrix& size) {
  for (Index i = 0; i < margins.rows(); ++i)
    for (Index j = 0; j < margins.cols(); ++j) {
      if (std::abs(margins(i, j)) <= tolerance::rest * size(i, j)) continue;
      if (margins(i, j) < 0.0) return false;
      break;
    }
  return true;
}

HeldLimits held_limits(const Matrix& K, const Matrix& margins, const Matrix& size) {
  const Index n = K.rows();
  const Vector unit = K.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  const Matrix scaled = unit.asDiagonal() * K * unit.asDiagonal();
  const List<Index> group = linalg::groups(scaled, tolerance::entry);
  HeldLimits all;
  all.found = true;
  for (Index g = 0; g < n; ++g) {
    List<Index> which;
    for (Index i = 0; i < n; ++i)
      if (group[i] == g) which.push_back(i);
    if (which.empty()) continue;
    const Vector units = unit(which);
    const HeldLimits one = Path(scaled(which, which), units.asDiagonal() * margins(which, Eigen::all),
                                units.asDiagonal() * size(which, Eigen::all))
                               .run();
    for (const Index k : one.held) all.held.push_back(which[k]);
    if (one.found) continue;
    all.found = false;
    for (const Index k : one.against) all.against.push_back(which[k]);
  }
  std::sort(all.held.begin(), all.held.end());
  return all;
}

} // namespace stickslip::contact
