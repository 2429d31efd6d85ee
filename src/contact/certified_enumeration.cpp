#include "contact/certified.hpp"

#include "contact/cone.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace stickslip::lcp {

namespace {

// Bases and refuted branches until the search is given up.
class BasisBudget {
public:
  BasisBudget(Index most, InterruptCheck& check) : left_(most), check_(check) {}
  bool spend() {
    check_();
    return left_-- > 0;
  }

private:
  Index left_;
  InterruptCheck& check_;
};

// Double precision, as long as it decides everything. Solutions are then isolated: no basic variable is zero.
class CertainLeaves {
public:
  CertainLeaves(const Problem& p, EnumerationWorkspace& ws, BasisBudget& budget, Enumeration& out)
      : p_(p), ws_(ws), budget_(budget), out_(out) {
    ws_.z.resize(p.n), ws_.w.resize(p.n);
  }

  bool decided = true;

  bool refuted() { return afford(); }

  bool leaf(const SearchLevel<DoubleTable>& l) {
    if (!afford()) return false;
    ++out_.leaves;
    decided = l.pending == 0;
    std::fill(ws_.z.begin(), ws_.z.end(), 0.0);
    for (Index i = 0; i < p_.n && decided; ++i) {
      decided = l.table.zero_b(i) < DoubleTable::margin * certified_accuracy * *l.table.row(i);
      const Index v = l.label[i] - p_.n;
      if (v >= 0) ws_.z[v] = *l.table.row(i) * ws_.scaling.col[v];
    }
    if (!decided) return false;
    double r = verify();
    if (!(r <= tolerance::rounding) && ws_.polish.solve(p_, ws_.scaling, ws_.in_basis.data(), ws_.z.data()))
      r = verify();
    decided = r <= tolerance::rounding && *std::min_element(ws_.z.begin(), ws_.z.end()) >= 0.0;
    if (!decided) return false;
    Solution s;
    s.z = Eigen::Map<const Vector>(ws_.z.data(), p_.n);
    s.w = Eigen::Map<const Vector>(ws_.w.data(), p_.n);
    s.basis = to_bits(ws_.in_basis);
    s.bases = {s.basis};
    s.residual = r;
    out_.solutions.push_back(std::move(s));
    return true;
  }

private:
  bool afford() {
    if (budget_.spend()) return true;
    out_.doubtful = 1;
    return false;
  }

  double verify() {
    return residual_of_basis(p_, ws_.scaling, ws_.z.data(), ws_.in_basis.data(), ws_.w.data());
  }

  const Problem& p_;
  EnumerationWorkspace& ws_;
  BasisBudget& budget_;
  Enumeration& out_;
};

struct ExactTable {
  ExactDictionary dictionary;

  int sign(Index i) const { return dictionary.at(i, 0).sign(); }

  bool turns(Index i, int s, Index columns) const {
    for (Index c = 1; c <= columns; ++c)
      if (s * dictionary.at(i, c).sign() < 0) return true;
    return false;
  }

  bool less(Index i, Index k) const { return dictionary.at(i, 0) < dictionary.at(k, 0); }

  bool find_pivot(const SearchLevel<ExactTable>& l, Index& row, Index& column) const {
    for (row = 0; row < dictionary.rows; ++row)
      for (column = 0; column < l.columns && l.state[row] == Row::pending; ++column)
        if (l.pending_column[column] != 0 && dictionary.at(row, column + 1).sign() != 0) return true;
    return false;
  }

  void pivot(Index row, Index column, Index columns) {
    dictionary.columns = columns;
    dictionary.pivot(row, column + 1);
  }

  void move_column(Index from, Index to) {
    for (Index i = 0; i < dictionary.rows; ++i) dictionary.at(i, to + 1) = dictionary.at(i, from + 1);
  }

  void copy(const ExactTable& from, Index columns) {
    const ExactDictionary& d = from.dictionary;
    dictionary.rows = d.rows, dictionary.stride = d.stride, dictionary.check = d.check;
    dictionary.denominator = d.denominator;
    dictionary.entries.resize(d.entries.size());
    for (Index i = 0; i < d.rows; ++i)
      for (Index c = 0; c <= columns; ++c) dictionary.at(i, c) = d.at(i, c);
  }
};

// Indices at which z and w are positive; they determine the faces that contain a point or a direction.
struct Support {
  Basis z = 0, w = 0;
  auto operator<=>(const Support&) const = default;
  bool lies_in(Basis basis) const { return (z & ~basis) == 0 && (w & basis) == 0; }
};

class ExactLeaves {
public:
  ExactLeaves(const Problem& p, EnumerationWorkspace& ws, BasisBudget& budget, InterruptCheck& check,
              Enumeration& out)
      : p_(p), ws_(ws), budget_(budget), check_(check), out_(out), n_(p.n), last_z_(p.n), last_w_(p.n) {}

  bool refuted() { return afford(); }

  bool leaf(const SearchLevel<ExactTable>& l) {
    if (!afford()) return false;
    ++out_.leaves;
    const Basis basis = to_bits(ws_.in_basis);
    if (l.pending > 0) out_.singular_bases.push_back(basis);
    List<List<Dyadic>> inequalities;
    for (Index i = 0; i < n_; ++i) {
      if (l.state[i] == Row::pending) { // it no longer depends on the pending columns
        if (l.table.sign(i) != 0) return true;
        continue;
      }
      List<Dyadic> row;
      for (Index c = 0; c <= l.columns; ++c) row.push_back(l.table.dictionary.at(i, c));
      inequalities.push_back(std::move(row));
    }
    const auto rays =
        extreme_rays(inequalities, l.columns + 1, product, [](List<Dyadic>& x) { shorten(x); }, check_);
    List<Vector> vertices, directions, sides;
    List<Support> supports;
    for (const int kind : {1, 0})
      for (const List<Dyadic>& ray : rays) {
        if (ray[0].sign() != kind) continue;
        supports.push_back(expand(l, ray));
        (kind == 1 ? vertices : directions).push_back(last_z_);
        if (kind == 1) sides.push_back(last_w_);
      }
    if (vertices.empty()) return true;
    Solution s;
    s.z = vertices[0], s.w = sides[0];
    s.basis = basis;
    s.bases = {basis};
    const bool point = vertices.size() == 1 && directions.empty();
    if (point) {
      const auto [place, is_new] = points_.try_emplace(supports[0], out_.solutions.size());
      if (!is_new) {
        out_.solutions[place->second].bases.push_back(basis);
        return true;
      }
    } else {
      s.vertices.resize(vertices.size(), n_);
      s.directions.resize(directions.size(), n_);
      for (Index k = 0; k < vertices.size(); ++k) s.vertices.row(k) = vertices[k].transpose();
      for (Index k = 0; k < directions.size(); ++k) s.directions.row(k) = directions[k].transpose();
    }
    s.residual = residual(p_, s.z.data());
    out_.solutions.push_back(std::move(s));
    supports_.push_back(std::move(supports));
    return true;
  }

  // Leaves every point once and every continuum that is no face of another.
  void merge() {
    List<Index> order(out_.solutions.size());
    for (Index k = 0; k < order.size(); ++k) order[k] = k;
    const auto corners = [&](Index k) {
      return out_.solutions[k].vertices.rows() + out_.solutions[k].directions.rows();
    };
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return corners(a) > corners(b); });
    List<Solution> kept;
    for (const Index k : order) {
      check_();
      Solution& s = out_.solutions[k];
      const auto home = std::find_if(kept.begin(), kept.end(), [&](const Solution& large) {
        return large.continuum() &&
               std::all_of(supports_[k].begin(), supports_[k].end(),
                           [&](const Support& part) { return part.lies_in(large.basis); });
      });
      if (home == kept.end())
        kept.push_back(std::move(s));
      else
        home->bases.insert(home->bases.end(), s.bases.begin(), s.bases.end());
    }
    out_.solutions = std::move(kept);
  }

private:
  bool afford() {
    if (budget_.spend()) return true;
    out_.doubtful = 1;
    return false;
  }

  static Dyadic product(const List<Dyadic>& a, const List<Dyadic>& x) {
    Dyadic sum;
    for (Index i = 0; i < x.size(); ++i)
      if (a[i].sign() != 0 && x[i].sign() != 0) sum = sum + a[i] * x[i];
    return sum;
  }

  static void shorten(List<Dyadic>& x) {
    Dyadic common;
    for (const Dyadic& v : x)
      if (v.sign() != 0) common = odd_divisor(common, v);
    for (Dyadic& v : x) v = exact_quotient(v, common);
  }

  // A ray (t, y) in z and w: a point for t > 0, else a direction whose largest z is one.
  Support expand(const SearchLevel<ExactTable>& l, const List<Dyadic>& ray) {
    const ExactDictionary& d = l.table.dictionary;
    List<Dyadic> z(n_), w(n_);
    for (Index j = 0; j < l.columns; ++j) z[l.column[j]] = ray[j + 1] * d.denominator;
    for (Index i = 0; i < n_; ++i) {
      if (l.state[i] == Row::pending) continue;
      Dyadic value;
      for (Index c = 0; c <= l.columns; ++c)
        if (ray[c].sign() != 0) value = value + d.at(i, c) * ray[c];
      (l.label[i] >= n_ ? z[l.label[i] - n_] : w[l.label[i]]) = value;
    }
    Support support;
    Dyadic size = ray[0] * d.denominator;
    for (Index i = 0; i < n_; ++i) {
      if (z[i].sign() != 0) support.z |= Basis{1} << i;
      if (w[i].sign() != 0) support.w |= Basis{1} << i;
      z[i] = z[i] * Dyadic(ws_.scaling.col[i]);
      if (ray[0].sign() == 0 && size < z[i]) size = z[i];
    }
    for (Index i = 0; i < n_; ++i) {
      last_z_(i) = ratio(z[i], size);
      last_w_(i) = ratio(w[i], size * Dyadic(ws_.scaling.row[i]));
    }
    return support;
  }

  const Problem& p_;
  EnumerationWorkspace& ws_;
  BasisBudget& budget_;
  InterruptCheck& check_;
  Enumeration& out_;
  Index n_;
  Vector last_z_, last_w_;
  List<List<Support>> supports_;    // of the vertices and directions of each solution
  std::map<Support, Index> points_; // isolated solutions: equal supports are one point
};

} // namespace

Enumeration solve_all_certified(const Problem& p, EnumerationWorkspace& ws, Index max_bases,
                                InterruptCheck& check) {
  check_order(p);
  Enumeration out;
  ws.scaling.compute(p);
  if (ws.levels.empty()) ws.levels.resize(1);
  if (ws.levels[0].table.load(p, ws.scaling, EnumerateOptions().pivot_tolerance, Reading::exact)) {
    BasisBudget budget(max_bases, check);
    CertainLeaves leaves(p, ws, budget, out);
    BasisSearch(p.n, ws.levels, ws.in_basis, leaves).start();
    if (leaves.decided) return out;
    out = Enumeration();
  }
  List<SearchLevel<ExactTable>> levels(1);
  levels[0].table.dictionary.load(p, ws.scaling);
  levels[0].table.dictionary.check = &check;
  BasisBudget budget(max_bases, check);
  ExactLeaves leaves(p, ws, budget, check, out);
  BasisSearch(p.n, levels, ws.in_basis, leaves).start();
  leaves.merge();
  return out;
}

} // namespace stickslip::lcp
