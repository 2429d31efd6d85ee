#include "contact/enumerate.hpp"

#include "contact/cone.hpp"
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::lcp {

namespace {

constexpr double least_part =
    1e-3; // share of the largest entry below which entries are compared on its scale
constexpr double least_entry = 1e-6; // the same among entries that were not equilibrated
constexpr double sure = 1e3;         // times the noise of a row is certainly not zero

constexpr double margin = 64.0; // times the noise of a row counts as zero
using Level = EnumerationWorkspace::Level;
enum : std::uint8_t {
  open,
  settled,
  pending
}; // a row: undecided; its basic variable must be >= 0; must be 0

class Search {
public:
  Search(const Problem& p, EnumerationWorkspace& ws, const EnumerateOptions& o, Enumeration& out)
      : p_(p), ws_(ws), o_(o), out_(out), n_(p.n), stride_(p.n + 1) {}

  void start() {
    if (ws_.levels.size() < (n_ + 1)) ws_.levels.resize(n_ + 1);
    ws_.in_basis.assign(n_, 0);
    ws_.z.resize(n_), ws_.w.resize(n_);
    Level& l = ws_.levels[0];
    l.table.resize(n_ * stride_);
    l.column.resize(n_), l.label.resize(n_);
    l.state.assign(n_, open), l.pending_column.assign(n_, 0);
    l.columns = n_, l.pending = 0, l.undecided = n_;
    l.noise.resize(n_), l.noise_b.resize(n_);
    double top = 0.0;
    for (Index i = 0; i < n_; ++i) {
      double* t = &l.table[i * stride_];
      const double r = ws_.scaling.row[i];
      t[0] = r * p_.q[i];
      double largest = 0.0;
      for (Index j = 0; j < n_; ++j) {
        t[j + 1] = r * p_.M[i * n_ + j] * ws_.scaling.col[j];
        largest = std::max(largest, std::abs(t[j + 1]));
      }
      l.noise[i] = tolerance::epsilon * largest;
      l.noise_b[i] = tolerance::epsilon * std::abs(t[0]);
      top = std::max(top, largest);
      l.column[i] = i;
      l.label[i] = i;
    }
    smallest_pivot_ = o_.pivot_tolerance * (top > 0.0 ? top : 1.0);
    visit(0);
  }

private:
  // Refutes the node, settles forced indices, returns the index to branch on (-1 at a leaf, -2 if refuted).
  Index judge(Level& l) {
    for (bool again = true; again;) {
      again = false;
      for (Index i = 0; i < n_; ++i) {
        const double* t = &l.table[i * stride_];
        const double b = t[0], zero = margin * l.noise_b[i], noise = margin * l.noise[i];
        const std::uint8_t state = l.state[i];
        if (b > zero && state == settled) continue;
        if (b >= -zero && b <= zero) continue;
        // A row that could still be turned round by a variable of the right sign refutes nothing.
        const double sign = b > 0.0 ? 1.0 : -1.0;
        bool turns = false;
        for (Index c = 0; c < l.columns && !turns; ++c) turns = sign * t[c + 1] < -noise;
        if (turns) continue;
        if (b < 0.0 || state == pending) return -2;
        settle_out(l, i); // w_i > 0 whatever the rest: z_i = 0
        again = true;
      }
    }
    if (l.undecided == 0) return -1;
    Index best = -1;
    for (Index i = 0; i < n_; ++i)
      if (l.state[i] == open && (best < 0 || l.table[i * stride_] < l.table[best * stride_])) best = i;
    return best;
  }

  void remove_column(Level& l, Index c) {
    const Index last = --l.columns;
    if (c == last) return;
    for (Index i = 0; i < n_; ++i) {
      double* t = &l.table[i * stride_];
      t[c + 1] = t[last + 1];
    }
    l.column[c] = l.column[last];
    l.pending_column[c] = l.pending_column[last];
  }

  static Index find_column(const Level& l, Index variable) {
    Index c = 0;
    while (l.column[c] != variable) ++c;
    return c;
  }

  void settle_out(Level& l, Index i) {
    l.state[i] = settled;
    --l.undecided;
    remove_column(l, find_column(l, i));
  }

  // Index i joins the basis; pivots among the rows that must vanish and their columns as far as they are
  // regular.
  void settle_in(Level& l, Index i) {
    l.state[i] = pending;
    --l.undecided;
    l.pending_column[find_column(l, i)] = 1;
    ++l.pending;
    while (l.pending > 0) {
      double best = 0.0;
      Index row = -1, col = -1;
      for (Index r = 0; r < n_; ++r) {
        if (l.state[r] != pending) continue;
        best = std::max(best, std::max(smallest_pivot_, sure * l.noise[r]));
        for (Index c = 0; c < l.columns; ++c) {
          if (l.pending_column[c] == 0) continue;
          const double a = std::abs(l.table[r * stride_ + c + 1]);
          if (a > best) best = a, row = r, col = c;
        }
      }
      if (row < 0) return;
      double* __restrict__ pr = &l.table[row * stride_];
      const double inverse = -1.0 / pr[col + 1];
      double top = 0.0;
      for (Index c = 0; c <= l.columns; ++c) pr[c] *= inverse;
      for (Index c = 1; c <= l.columns; ++c) top = std::max(top, std::abs(pr[c]));
      const double base = l.noise[row] * std::abs(inverse);
      const double row_noise = base * (1.0 + top);
      const double row_noise_b = l.noise_b[row] * std::abs(inverse) + base * std::abs(pr[0]);
      l.noise[row] = row_noise, l.noise_b[row] = row_noise_b;
      for (Index r = 0; r < n_; ++r) {
        if (r == row) continue;
        double* __restrict__ t = &l.table[r * stride_];
        const double f = t[col + 1];
        if (f == 0.0) continue;
        for (Index c = 0; c <= l.columns; ++c) t[c] += f * pr[c];
        const double own = l.noise[r], g = std::abs(f);
        l.noise[r] += g * (row_noise + tolerance::epsilon * top) + own * top;
        l.noise_b[r] += g * (row_noise_b + tolerance::epsilon * std::abs(pr[0])) + own * std::abs(pr[0]);
      }
      l.state[row] = settled;
      l.label[row] = n_ + l.column[col];
      remove_column(l, col); // what left the basis is a w that is zero from here on
      --l.pending;
    }
  }

  void copy_level(const Level& from, Level& to) {
    to.table.resize(from.table.size());
    for (Index i = 0; i < n_; ++i) {
      const double* s = &from.table[i * stride_];
      std::copy(s, s + from.columns + 1, &to.table[i * stride_]);
    }
    to.column = from.column, to.label = from.label, to.state = from.state,
    to.pending_column = from.pending_column;
    to.noise = from.noise, to.noise_b = from.noise_b;
    to.columns = from.columns, to.pending = from.pending, to.undecided = from.undecided;
  }

  void visit(Index depth) {
    Level& l = ws_.levels[depth];
    for (;;) {
      const Index i = judge(l);
      if (i == -2) break;
      if (i == -1) {
        leaf(l);
        break;
      }
      Level& next = ws_.levels[depth + 1];
      copy_level(l, next);
      ws_.in_basis[i] = 1;
      settle_in(next, i);
      visit(depth + 1);
      ws_.in_basis[i] = 0;
      settle_out(l, i); // and the other branch on the spot
    }
  }

  Basis bits() const {
    Basis b = 0;
    for (Index i = 0; i < n_; ++i)
      if (ws_.in_basis[i] != 0) b |= Basis{1} << i;
    return b;
  }

  void leaf(Level& l) {
    ++out_.leaves;
    if (l.pending > 0) return singular_leaf(l);
    std::fill(ws_.z.begin(), ws_.z.end(), 0.0);
    for (Index i = 0; i < n_; ++i) {
      const Index v = l.label[i] - n_;
      if (v >= 0) ws_.z[v] = std::max(l.table[i * stride_], 0.0) * ws_.scaling.col[v];
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
      const double size = std::max(std::max(a[i], b[i]), least_part * top * ws_.scaling.col[i]);
      if (std::abs(a[i] - b[i]) > tolerance::same * size) return false;
    }
    return true;
  }

  // The pending rows must vanish and no longer depend on the pending columns: a polyhedron in the pending z,
  // or nothing.
  void singular_leaf(Level& l) {
    const Basis basis = bits();
    out_.singular_bases.push_back(basis);
    Vector c(n_ - l.pending);
    Matrix C(n_ - l.pending, l.columns);
    List<Index> rows;
    for (Index i = 0; i < n_; ++i) {
      const double* t = &l.table[i * stride_];
      if (l.state[i] == pending) {
        if (std::abs(t[0]) > sure * l.noise_b[i]) return;
        continue;
      }
      const auto k = rows.size();
      c(k) = std::abs(t[0]) <= margin * l.noise_b[i] ? 0.0 : t[0];
      for (Index j = 0; j < l.columns; ++j)
        C(k, j) = std::abs(t[j + 1]) <= margin * l.noise[i] ? 0.0 : t[j + 1];
      rows.push_back(i);
    }
    const Polyhedron set = describe(c, C, tolerance::rest);
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
  Index n_, stride_;
  double smallest_pivot_ = 0.0;
};

// Whether the point z, a solution, lies in the face of the basis: z vanishes outside it and w inside it.
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

// Leaves every solution once: what lies inside a continuum is part of it, and a point reached by two ways is
// one.
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
        const double size = std::max({k.z(i), s.z(i), least_entry * top * e.col[i]});
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

Enumeration solve_all(const Problem& p, EnumerationWorkspace& ws, const EnumerateOptions& o) {
  if (p.n > largest_enumeration)
    reject("M", "has order " + std::to_string(p.n) + ": enumeration of all bases is offered up to order " +
                    std::to_string(largest_enumeration) + " (lemke has no limit)");
  Enumeration out;
  ws.scaling.compute(p);
  Search(p, ws, o, out).start();
  merge(p, ws.scaling, out.solutions);
  return out;
}

} // namespace stickslip::lcp
