#include "contact/enumerate.hpp"

#include "contact/cone.hpp"
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::lcp {

namespace {

using Level = SearchLevel<DoubleTable>;

// Verifies the leaves that the search reaches.
class Leaves {
public:
  Leaves(const Problem& p, EnumerationWorkspace& ws, const EnumerateOptions& o, Enumeration& out)
      : p_(p), ws_(ws), o_(o), out_(out), n_(p.n) {
    ws_.z.resize(n_), ws_.w.resize(n_);
  }

  static bool refuted() { return true; }

  bool leaf(const Level& l) {
    ++out_.leaves;
    if (l.pending > 0)
      singular_leaf(l);
    else
      regular_leaf(l);
    return true;
  }

private:
  Basis bits() const { return to_bits(ws_.in_basis); }

  void regular_leaf(const Level& l) {
    std::fill(ws_.z.begin(), ws_.z.end(), 0.0);
    for (Index i = 0; i < n_; ++i) {
      const Index v = l.label[i] - n_;
      if (v >= 0) ws_.z[v] = std::max(*l.table.row(i), 0.0) * ws_.scaling.col[v];
    }
    double r = residual_of_basis(p_, ws_.scaling, ws_.z.data(), ws_.in_basis.data(), ws_.w.data());
    if (!(r <= o_.accept) && ws_.polish.solve(p_, ws_.scaling, ws_.in_basis.data(), ws_.z.data())) {
      for (double& z : ws_.z) z = std::max(z, 0.0);
      r = residual_of_basis(p_, ws_.scaling, ws_.z.data(), ws_.in_basis.data(), ws_.w.data());
    }
    if (!(r <= o_.accept)) {
      ++out_.doubtful;
      return;
    }
    for (Solution& s : out_.solutions)
      if (!s.continuum() && same(s.z.data(), ws_.z.data())) {
        s.bases.push_back(bits());
        return;
      }
    Solution s;
    s.z = Eigen::Map<const Vector>(ws_.z.data(), n_);
    s.w = Eigen::Map<const Vector>(ws_.w.data(), n_);
    s.basis = bits();
    s.bases = {s.basis};
    s.residual = r;
    out_.solutions.push_back(std::move(s));
  }

  bool same(const double* a, const double* b) const {
    double top = 0.0;
    for (Index i = 0; i < n_; ++i) top = std::max(top, std::max(a[i], b[i]) / ws_.scaling.col[i]);
    for (Index i = 0; i < n_; ++i) {
      const double size = std::max(std::max(a[i], b[i]), tolerance::cancelled * top * ws_.scaling.col[i]);
      if (std::abs(a[i] - b[i]) > tolerance::same * size) return false;
    }
    return true;
  }

  // The pending rows must vanish and no longer depend on the pending columns: a polyhedron in the pending z,
  // or nothing.
  void singular_leaf(const Level& l) {
    const Basis basis = bits();
    out_.singular_bases.push_back(basis);
    Vector c(n_ - l.pending);
    Matrix C(n_ - l.pending, l.columns);
    List<Index> rows;
    for (Index i = 0; i < n_; ++i) {
      const double* t = l.table.row(i);
      if (l.state[i] == Row::pending) {
        if (std::abs(t[0]) > DoubleTable::sure * l.table.noise_b[i]) return;
        continue;
      }
      const auto k = rows.size();
      c(k) = std::abs(t[0]) <= l.table.zero_b(i) ? 0.0 : t[0];
      for (Index j = 0; j < l.columns; ++j) C(k, j) = std::abs(t[j + 1]) <= l.table.zero(i) ? 0.0 : t[j + 1];
      rows.push_back(i);
    }
    const Polyhedron set = describe(c, C, tolerance::residual);
    if (set.vertices.empty()) return;
    const auto expand = [&](const Vector& y, double t) {
      Vector z = Vector::Zero(n_);
      for (Index j = 0; j < l.columns; ++j) z(l.column[j]) = y(j);
      for (Index k = 0; k < rows.size(); ++k) {
        const Index v = l.label[rows[k]] - n_;
        if (v >= 0) z(v) = std::max(c(k) * t + C.row(k).dot(y), 0.0);
      }
      for (Index i = 0; i < n_; ++i) z(i) *= ws_.scaling.col[i];
      return z;
    };
    Solution s;
    s.basis = basis;
    s.bases = {basis};
    s.vertices.resize(set.vertices.size(), n_);
    for (Index k = 0; k < set.vertices.size(); ++k)
      s.vertices.row(k) = expand(set.vertices[k], 1.0).transpose();
    s.directions.resize(set.directions.size(), n_);
    for (Index k = 0; k < set.directions.size(); ++k)
      s.directions.row(k) = expand(set.directions[k], 0.0).transpose();
    s.z = s.vertices.row(0).transpose();
    s.w.resize(n_);
    s.residual = residual_of_basis(p_, ws_.scaling, s.z.data(), ws_.in_basis.data(), s.w.data());
    if (!(s.residual <= o_.accept)) {
      ++out_.doubtful;
      return;
    }
    if (set.vertices.size() == 1 && set.directions.empty()) { // a point after all
      s.vertices.resize(0, n_);
      s.directions.resize(0, n_);
    }
    out_.solutions.push_back(std::move(s));
  }

  const Problem& p_;
  EnumerationWorkspace& ws_;
  const EnumerateOptions& o_;
  Enumeration& out_;
  Index n_;
};

// True if the solution z lies in the face of the basis: z vanishes outside it and w inside it.
bool within(const Problem& p, const Equilibration& e, const double* z, double t, Basis basis) {
  double top = 0.0;
  for (Index i = 0; i < p.n; ++i) top = std::max(top, z[i] / e.col[i]);
  for (Index i = 0; i < p.n; ++i) {
    if ((basis >> i & 1U) == 0) {
      if (z[i] / e.col[i] > tolerance::rank * top) return false;
      continue;
    }
    double sum = t * p.q[i], size = std::abs(sum);
    for (Index j = 0; j < p.n; ++j) sum += p.M[i * p.n + j] * z[j], size += std::abs(p.M[i * p.n + j] * z[j]);
    if (std::abs(sum) > tolerance::same * size) return false;
  }
  return true;
}

bool contains(const Problem& p, const Equilibration& e, const Solution& large, const Solution& small) {
  const auto inside = [&](const Vector& z, double t) { return within(p, e, z.data(), t, large.basis); };
  if (!small.continuum()) return inside(small.z, 1.0);
  for (Index k = 0; k < small.vertices.rows(); ++k)
    if (!inside(small.vertices.row(k).transpose(), 1.0)) return false;
  for (Index k = 0; k < small.directions.rows(); ++k)
    if (!inside(small.directions.row(k).transpose(), 0.0)) return false;
  return true;
}

// Keeps every solution once: points inside a continuum are part of it, and a point reached from two bases is one
// solution.
void merge(const Problem& p, const Equilibration& e, List<Solution>& all) {
  const bool plain = std::none_of(all.begin(), all.end(),
                                  [](const Solution& s) { return s.continuum() || s.w.size() == 0; });
  if (plain && all.size() < 2) return;
  List<Solution> kept;
  std::stable_sort(all.begin(), all.end(), [](const Solution& a, const Solution& b) {
    return a.vertices.rows() + a.directions.rows() > b.vertices.rows() + b.directions.rows();
  });
  for (Solution& s : all) {
    const auto home = std::find_if(kept.begin(), kept.end(), [&](const Solution& k) {
      if (k.continuum()) return contains(p, e, k, s);
      if (s.continuum()) return false;
      double top = 0.0;
      for (Index i = 0; i < p.n; ++i) top = std::max(top, std::max(k.z(i), s.z(i)) / e.col[i]);
      for (Index i = 0; i < p.n; ++i) {
        const double size = std::max({k.z(i), s.z(i), tolerance::negligible * top * e.col[i]});
        if (std::abs(k.z(i) - s.z(i)) > tolerance::same * size) return false;
      }
      return true;
    });
    if (home == kept.end())
      kept.push_back(std::move(s));
    else
      home->bases.insert(home->bases.end(), s.bases.begin(), s.bases.end());
  }
  all = std::move(kept);
}

} // namespace

void check_order(const Problem& p) {
  if (p.n > largest_enumeration)
    reject("M", "has order " + std::to_string(p.n) + ": enumeration of all bases is offered up to order " +
                    std::to_string(largest_enumeration) + " (lemke has no limit)");
}

Enumeration solve_all(const Problem& p, EnumerationWorkspace& ws, const EnumerateOptions& o) {
  check_order(p);
  Enumeration out;
  ws.scaling.compute(p);
  if (ws.levels.empty()) ws.levels.resize(1);
  ws.levels[0].table.load(p, ws.scaling, o.pivot_tolerance, Reading::rounded);
  Leaves leaves(p, ws, o, out);
  BasisSearch(p.n, ws.levels, ws.in_basis, leaves).start();
  merge(p, ws.scaling, out.solutions);
  return out;
}

} // namespace stickslip::lcp
