// The complementarity problem of forces that rigidity leaves open, decided on an interval after an instant.
#include "contact/held_limits.hpp"
#include "contact/lemke.hpp"
#include "core/budget.hpp"
#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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
    for (Index j = 0; j < terms; ++j) size.col(j).array() += tolerance::product * size.col(j).maxCoeff();
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
  lcp::RowMatrix T; // the operations act on rows
  Matrix size;
  List<Index> basic;

  double term(Index i, Index j) const { return T(i, 2 * n + 1 + j); }

  int sign(Index i) const {
    for (Index j = 0; j < terms; ++j)
      if (std::abs(term(i, j)) > tolerance::residual * size(i, j)) return term(i, j) > 0.0 ? 1 : -1;
    return 0;
  }

  // True if row a divided by p is lexicographically less than row b divided by q. The columns of the first basis
  // follow the terms, so that no two rows are equal.
  bool before(Index a, Index b, double p, double q) const {
    for (Index j = 0; j < terms; ++j) {
      const double equal = tolerance::residual * (size(a, j) / std::abs(p) + size(b, j) / std::abs(q));
      const double difference = term(a, j) / p - term(b, j) / q;
      if (std::abs(difference) > equal) return p < 0.0 ? difference > 0.0 : difference < 0.0;
    }
    for (Index j = 0; j < n; ++j) {
      const double difference = T(a, j) / p - T(b, j) / q;
      if (std::abs(difference) > tolerance::matrix_zero) return p < 0.0 ? difference > 0.0 : difference < 0.0;
    }
    return false;
  }

  Index blocking(Index entering) const {
    Index row = -1;
    for (Index i = 0; i < n; ++i) {
      if (!(T(i, entering) > tolerance::matrix_zero)) continue;
      if (row < 0 || before(i, row, T(i, entering), T(row, entering))) row = i;
    }
    for (Index i = 0; i < n && row >= 0; ++i) // the covering variable leaves where it may
      if (basic[i] == 2 * n && T(i, entering) > tolerance::matrix_zero &&
          !before(row, i, T(row, entering), T(i, entering)))
        row = i;
    return row;
  }

  Index pivot(Index row, Index entering) {
    Budget::spend(T.size());
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

  // Multipliers along the unblocked ray: the sum of these conditions cannot be satisfied.
  List<Index> ray(Index entering) const {
    List<Index> out;
    double most = 1.0;
    for (Index i = 0; i < n; ++i)
      if (basic[i] >= n && basic[i] < 2 * n) most = std::max(most, -T(i, entering));
    for (Index i = 0; i < n; ++i)
      if (basic[i] >= n && basic[i] < 2 * n && -T(i, entering) > tolerance::matrix_zero * most)
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
      if (std::abs(margins(i, j)) <= tolerance::residual * size(i, j)) continue;
      if (margins(i, j) < 0.0) return false;
      break;
    }
  return true;
}

namespace {

// Group by group of limits that depend on each other.
HeldLimits by_groups(const Matrix& K, const Matrix& margins, const Matrix& size) {
  const Vector unit = K.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  const Matrix scaled = unit.asDiagonal() * K * unit.asDiagonal();
  HeldLimits all;
  all.found = true;
  for (const List<Index>& which : linalg::members(linalg::groups(scaled, tolerance::matrix_zero))) {
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

// The reduced problem in which the limits `held` are equations.
struct Reduced {
  List<Index> others;
  Matrix K, margins;

  Reduced(const Matrix& all, const Matrix& m, const List<Index>& held) {
    for (Index k = 0; k < m.rows(); ++k)
      if (std::find(held.begin(), held.end(), k) == held.end()) others.push_back(k);
    Matrix by(others.size(), held.size());
    if (!held.empty())
      by = linalg::solve(all(held, held).transpose(), all(others, held).transpose()).transpose();
    K = all(others, others) - by * all(held, others);
    margins = m(others, Eigen::all) - by * m(held, Eigen::all);
  }
};

// The same with some limits held for any sign of their multipliers.
HeldLimits with_held(const Matrix& K, const Matrix& margins, const Matrix& size, const List<Index>& held) {
  const Reduced left(K, margins, held);
  HeldLimits all;
  all.found = true;
  List<Index> which; // limits that something still answers
  for (Index k = 0; k < left.others.size(); ++k) {
    const Index own = left.others[k];
    if (left.K(k, k) > tolerance::matrix_zero * K(own, own))
      which.push_back(k);
    else if (!within_limits(left.margins.row(k), size.row(own)))
      all.found = false, all.against.push_back(own);
  }
  const Matrix sizes = size(left.others, Eigen::all);
  const HeldLimits rest =
      by_groups(left.K(which, which), left.margins(which, Eigen::all), sizes(which, Eigen::all));
  all.found = all.found && rest.found;
  all.held = all.relieved = held;
  for (const Index k : rest.held) all.held.push_back(left.others[which[k]]);
  for (const Index k : rest.against) all.against.push_back(left.others[which[k]]);
  std::sort(all.held.begin(), all.held.end());
  return all;
}

} // namespace

namespace {

// Norm of the shift by which margins are held, squared: m(tau)^T K^-1 m(tau) as a series in tau.
struct HoldingNorm {
  Vector terms, sizes;

  HoldingNorm(const Matrix& K, const Matrix& margins, const Matrix& size)
      : terms(Vector::Zero(margins.cols())), sizes(Vector::Zero(margins.cols())) {
    const Matrix inverse = linalg::inverse(K);
    const Matrix products = margins.transpose() * inverse * margins,
                 magnitudes = size.transpose() * inverse.cwiseAbs() * size;
    for (Index j = 0; j < terms.size(); ++j)
      for (Index i = 0; i <= j; ++i) terms(j) += products(i, j - i), sizes(j) += magnitudes(i, j - i);
  }

  // Just after the instant.
  bool is_less_than(const HoldingNorm& other) const {
    for (Index j = 0; j < terms.size(); ++j) {
      const double difference = terms(j) - other.terms(j);
      if (std::abs(difference) > tolerance::residual * (sizes(j) + other.sizes(j))) return difference < 0.0;
    }
    return false;
  }
};

} // namespace

HeldLimits held_limits(const Matrix& K, const Matrix& margins, const Matrix& size,
                       const List<List<Index>>& relieving) {
  if (relieving.empty()) return by_groups(K, margins, size);
  HeldLimits best, failed;
  std::optional<HoldingNorm> least;
  for (const List<Index>& set : relieving) {
    const HeldLimits one = with_held(K, margins, size, set);
    if (!one.found) {
      // A failure against limits of friction alone is reported in preference to one that opens a contact of another set.
      const auto of_contact = [&](Index k) {
        return std::any_of(relieving.begin(), relieving.end(),
                           [k](const List<Index>& s) { return std::find(s.begin(), s.end(), k) != s.end(); });
      };
      if (failed.against.empty() || std::none_of(one.against.begin(), one.against.end(), of_contact))
        failed = one;
      continue;
    }
    const HoldingNorm norm(K(one.held, one.held), margins(one.held, Eigen::all), size(one.held, Eigen::all));
    if (!least || norm.is_less_than(*least)) least = norm, best = one;
  }
  return best.found ? best : failed;
}

} // namespace stickslip::contact
