#include "contact/certified.hpp"

#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip::lcp {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Shows in double precision that the basis at hand solves the problem: |z - x| <= error from an approximate inverse R and
// |I - R A| (S. M. Rump, Acta Numerica 19 (2010) 287-449, theorem 10.8), then the signs of z and w. Basic variables
// that a row of zeros but one holds at zero, as those of open contacts, are zero without rounding.
class ErrorBound {
public:
  ErrorBound(const Problem& p, const Equilibration& e, LemkeWorkspace& ws) : p_(p), e_(e), ws_(ws), n_(p.n) {}

  bool proves() {
    if (!load()) return false;
    remove_zeros();
    return bound_z() && bound_w();
  }

private:
  static constexpr double largest_inverse = 1e100, largest_defect = 0.5;
  static constexpr double safety = 2.0; // for the rounding of the bounds themselves

  bool load() {
    M_.resize(n_, n_), q_.resize(n_), x_.resize(n_);
    bool faithful = true; // scaling is exact unless it underflows
    const auto scaled = [&](double value, double r, double c) {
      const double y = r * value * c;
      faithful = faithful && (e_.identity || y / c / r == value);
      return y;
    };
    for (Index i = 0; i < n_; ++i) {
      q_(i) = scaled(p_.q[i], e_.row[i], 1.0);
      x_(i) = ws_.z[i] / e_.col[i];
      for (Index j = 0; j < n_; ++j) M_(i, j) = scaled(p_.M[i * n_ + j], e_.row[i], e_.col[j]);
      if (ws_.basis[i] != 0) row_.push_back(i), column_.push_back(i);
    }
    rounding_ = safety * static_cast<double>(n_ + 3) * tolerance::epsilon;
    return faithful;
  }

  void remove_zeros() {
    for (Index k = 0; k < row_.size();) {
      const Index i = row_[k];
      Index only = -1, count = 0;
      for (Index c = 0; c < column_.size() && q_(i) == 0.0; ++c)
        if (M_(i, column_[c]) != 0.0) only = c, ++count;
      if (count != 1) {
        ++k;
        continue;
      }
      x_(column_[only]) = ws_.z[column_[only]] = 0.0;
      column_.erase(column_.begin() + only);
      row_.erase(row_.begin() + k);
      k = 0;
    }
  }

  bool bound_z() {
    const Index k = column_.size();
    error_ = Vector::Zero(n_);
    if (k == 0) return true;
    const Matrix A = M_(row_, column_);
    const Vector x = x_(column_), q = q_(row_), ones = Vector::Ones(k);
    const Matrix R = linalg::inverse(A), size = R.cwiseAbs();
    if (!(size.maxCoeff() < largest_inverse)) return false;
    const Vector defect = (Matrix::Identity(k, k) - R * A).cwiseAbs() * ones +
                          rounding_ * (ones + size * (A.cwiseAbs() * ones));
    const double alpha = safety * defect.maxCoeff();
    if (!(alpha < largest_defect)) return false;
    const Vector rest = (q + A * x).cwiseAbs() + rounding_ * (q.cwiseAbs() + A.cwiseAbs() * x.cwiseAbs()) +
                        Vector::Constant(k, DoubleTable::least);
    const Vector part = safety * (size * rest);
    const double spread = alpha / (1.0 - alpha) * part.maxCoeff();
    const double accuracy = n_ <= largest_certified_path ? certified_accuracy : 1.0;
    for (Index c = 0; c < k; ++c) {
      error_(column_[c]) = part(c) + spread;
      if (!(error_(column_[c]) < accuracy * x(c))) return false;
    }
    return true;
  }

  bool bound_w() const {
    for (Index i = 0; i < n_; ++i) {
      if (ws_.basis[i] != 0) continue;
      double w = q_(i), size = std::abs(w), error = 0.0;
      for (const Index j : column_) {
        w += M_(i, j) * x_(j);
        size += std::abs(M_(i, j)) * x_(j);
        error += std::abs(M_(i, j)) * error_(j);
      }
      if ((size == 0.0 && error == 0.0) || repeats_basic_row(i)) continue; // w = 0 without rounding
      if (!(w > safety * error + rounding_ * size + DoubleTable::least)) return false;
    }
    return true;
  }

  // True if row i is a multiple, by a power of two, of a row that the basis holds at zero, such as the opposite direction
  // of friction in a sticking contact.
  bool repeats_basic_row(Index i) const {
    for (const Index r : row_) {
      double factor = 0.0;
      for (Index k = 0; k < column_.size() && factor == 0.0; ++k)
        if (M_(r, column_[k]) != 0.0) factor = M_(i, column_[k]) / M_(r, column_[k]);
      int exponent = 0;
      if (std::abs(std::frexp(factor, &exponent)) != 0.5 || q_(i) != factor * q_(r)) continue;
      if (std::all_of(column_.begin(), column_.end(), [&](Index j) { return M_(i, j) == factor * M_(r, j); }))
        return true;
    }
    return false;
  }

  const Problem& p_;
  const Equilibration& e_;
  LemkeWorkspace& ws_;
  Index n_;
  RowMatrix M_;
  Vector q_, x_, error_;
  List<Index> row_, column_; // of the basis, without the variables that are certainly zero
  double rounding_ = 0.0;
};

// Lemke's path in exact arithmetic, by the lexicographic rule; among ties the artificial variable leaves first.
// Variables are numbered w_i = i, z_i = n + i, z0 = 2 n.
class ExactPath {
public:
  ExactPath(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& o, InterruptCheck& check)
      : p_(p), ws_(ws), o_(o), n_(p.n) {
    d_.check = &check;
  }

  // True if the current basis solves the problem.
  bool holds() {
    load();
    List<Index> open;
    for (Index i = 0; i < n_; ++i)
      if (ws_.basis[i] != 0) open.push_back(i);
    for (const Index j : open) {
      const auto regular = [&](Index i) {
        return label_[i] < n_ && ws_.basis[label_[i]] != 0 && d_.at(i, j + 1).sign() != 0;
      };
      Index row = 0;
      while (row < n_ && !regular(row)) ++row;
      if (row == n_) return false;
      exchange(row, j + 1);
    }
    for (Index i = 0; i < n_; ++i)
      if (d_.at(i, 0).sign() < 0) return false;
    extract();
    return true;
  }

  Status run(const double* cover, Index attempt, Index& pivots) {
    load();
    d_.columns = n_ + 1;
    for (Index i = 0; i < n_; ++i) d_.at(i, n_ + 1) = Dyadic(ws_.scaling.row[i]) * Dyadic(cover[i]);
    // The largest index of equal ratios is the lexicographic choice for [q | I].
    Index leaving = -1;
    for (Index i = 0; i < n_; ++i)
      if (d_.at(i, 0).sign() < 0 && (leaving < 0 || !less_ratio(leaving, i, n_ + 1))) leaving = i;
    Index entering = n_ + 1;
    const Index budget = o_.max_pivots > 0 ? o_.max_pivots : 1000 + 50 * n_;
    for (Index k = 0; k < budget; ++k) {
      const Index left = label_[leaving];
      if (o_.record) ws_.path.push_back({attempt, column_[entering], left});
      exchange(leaving, entering);
      ++pivots;
      if (left == 2 * n_) {
        extract();
        return Status::solved;
      }
      const Index next = left < n_ ? left + n_ : left - n_;
      entering = std::find(column_.begin() + 1, column_.end(), next) - column_.begin();
      leaving = block(entering);
      if (leaving < 0) {
        if (o_.record) ws_.path.push_back({attempt, next, -1});
        return Status::ray;
      }
    }
    return Status::budget;
  }

private:
  void load() {
    d_.load(p_, ws_.scaling, 1);
    label_.resize(n_), column_.assign(n_ + 2, 2 * n_);
    for (Index i = 0; i < n_; ++i) label_[i] = i, column_[i + 1] = n_ + i;
  }

  void exchange(Index row, Index column) {
    d_.pivot(row, column);
    std::swap(label_[row], column_[column]);
  }

  // True if constant/cover is smaller in row i than in row k; both covers are positive.
  bool less_ratio(Index i, Index k, Index column) const {
    return d_.at(i, 0) * d_.at(k, column) < d_.at(k, 0) * d_.at(i, column);
  }

  // The entry of row i of [b | B^-1] in column j.
  Dyadic lexicographic_entry(Index i, Index j) const {
    if (j == 0) return d_.at(i, 0);
    const auto at = std::find(column_.begin() + 1, column_.end(), j - 1);
    if (at != column_.end()) return -d_.at(i, at - column_.begin());
    return label_[i] == j - 1 ? d_.denominator : Dyadic();
  }

  // Among the decreasing rows the one with the lexicographically least [b | B^-1] / -entry; -1 if none decreases.
  Index block(Index column) {
    List<Index> tied;
    for (Index i = 0; i < n_; ++i)
      if (d_.at(i, column).sign() < 0) tied.push_back(i);
    for (Index j = 0; j <= n_ && tied.size() > 1; ++j) {
      List<Index> least;
      for (const Index i : tied) {
        int order = 0; // of row i against the least so far
        if (!least.empty()) {
          const Dyadic mine = lexicographic_entry(i, j) * d_.at(least[0], column);
          const Dyadic other = lexicographic_entry(least[0], j) * d_.at(i, column);
          order = mine < other ? 1 : (other < mine ? -1 : 0); // both factors are negative
        }
        if (order < 0) least.clear();
        if (order <= 0) least.push_back(i);
      }
      tied = std::move(least);
      if (j > 0) continue;
      for (const Index i : tied)
        if (label_[i] == 2 * n_) return i;
    }
    return tied.empty() ? -1 : tied[0];
  }

  void extract() {
    std::fill(ws_.z.begin(), ws_.z.end(), 0.0);
    std::fill(ws_.w.begin(), ws_.w.end(), 0.0);
    std::fill(ws_.basis.begin(), ws_.basis.end(), std::uint8_t{0});
    for (Index i = 0; i < n_; ++i) {
      const Index v = label_[i];
      if (v < n_) {
        ws_.w[v] = ratio(d_.at(i, 0), d_.denominator * Dyadic(ws_.scaling.row[v]));
      } else {
        ws_.z[v - n_] = ratio(d_.at(i, 0) * Dyadic(ws_.scaling.col[v - n_]), d_.denominator);
        ws_.basis[v - n_] = 1;
      }
    }
  }

  const Problem& p_;
  LemkeWorkspace& ws_;
  const LemkeOptions& o_;
  Index n_;
  ExactDictionary d_;
  List<Index> label_, column_; // column_[0] stands for the constants
};

// From one covering vector after the other.
LemkeResult follow_exact_paths(const Problem& p, ExactPath& path, LemkeWorkspace& ws, const LemkeOptions& o) {
  LemkeResult result;
  ws.path.clear(), ws.path_covers.clear();
  bool exhausted = false;
  Index skipped = 0;
  while (result.status != Status::solved) {
    if (o.covering == nullptr && !covering_vector(result.attempts + skipped, p, ws)) break;
    if (o.covering != nullptr && result.attempts > 0) break;
    const double* cover = o.covering != nullptr ? o.covering : ws.cover.data();
    if (!std::all_of(cover, cover + p.n, [](double d) { return std::isfinite(d) && d > 0.0; })) {
      ++skipped; // out of the range of doubles
      continue;
    }
    if (o.record) ws.path_covers.insert(ws.path_covers.end(), cover, cover + p.n);
    result.status = path.run(cover, result.attempts++, result.pivots);
    exhausted = exhausted || result.status == Status::budget;
  }
  if (result.status != Status::solved) result.status = exhausted ? Status::budget : Status::ray;
  return result;
}

} // namespace

LemkeResult lemke_certified(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& o,
                            InterruptCheck& check) {
  LemkeResult result = lemke(p, ws, o);
  if (result.status == Status::trivial) return result;
  if (result.solved() && ErrorBound(p, ws.scaling, ws).proves()) return result;
  if (p.n > largest_certified_path) {
    if (result.status != Status::budget) result.status = Status::doubtful;
    return result;
  }
  ExactPath path(p, ws, o, check);
  if ((result.solved() || result.status == Status::doubtful) && path.holds())
    result.status = Status::solved;
  else
    result = follow_exact_paths(p, path, ws, o);
  if (result.status == Status::solved) {
    result.residual = residual(p, ws.z.data());
    return result;
  }
  result.residual = std::numeric_limits<double>::infinity();
  std::fill(ws.z.begin(), ws.z.end(), nan);
  std::fill(ws.w.begin(), ws.w.end(), nan);
  std::fill(ws.basis.begin(), ws.basis.end(), std::uint8_t{0});
  return result;
}

} // namespace stickslip::lcp
