#include "contact/lcp.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace stickslip::lcp {

void validate(Index rows, Index cols, Index size_q) {
  if (rows != cols)
    reject("M", "has shape (" + std::to_string(rows) + ", " + std::to_string(cols) + "): it must be square");
  if (rows != size_q)
    reject("q", "has length " + std::to_string(size_q) + ": it must be " + std::to_string(rows) +
                    ", the order of M");
}

void validate(const Problem& p) {
  for (Index i = 0; i < p.n * p.n; ++i)
    if (!std::isfinite(p.M[i]))
      reject("M", "has the entry " + std::to_string(p.M[i]) + " in row " + std::to_string(i / p.n) +
                      ", column " + std::to_string(i % p.n) + ": all entries must be finite");
  for (Index i = 0; i < p.n; ++i)
    if (!std::isfinite(p.q[i]))
      reject("q", "has the entry " + std::to_string(p.q[i]) + " in row " + std::to_string(i) +
                      ": all entries must be finite");
}

void evaluate(const Problem& p, const double* z, double* w) {
  for (Index i = 0; i < p.n; ++i) {
    const double* row = p.M + i * p.n;
    double sum = p.q[i];
    for (Index j = 0; j < p.n; ++j) sum += row[j] * z[j];
    w[i] = sum;
  }
}

double residual(const Problem& p, const double* z) {
  Equilibration e;
  e.compute(p);
  List<double> w(p.n), share(p.n, 0.0);
  for (Index i = 0; i < p.n; ++i) {
    const double* row = p.M + i * p.n;
    double sum = p.q[i], scale = std::abs(p.q[i]);
    for (Index j = 0; j < p.n; ++j) {
      sum += row[j] * z[j];
      scale += std::abs(row[j] * z[j]);
    }
    scale = std::max(scale, e.floor / e.row[i]);
    w[i] = scale > 0.0 ? sum / scale : 0.0;
    if (!std::isfinite(scale)) return std::numeric_limits<double>::infinity();
    for (Index j = 0; j < p.n && scale > 0.0; ++j) {
      auto& s = share[j];
      s = std::max(s, std::abs(row[j] * z[j]) / scale);
    }
  }
  double worst = 0.0;
  for (Index i = 0; i < p.n; ++i) {
    // A column of zeros moves no row: there only the sign and complementarity of z_i itself can be judged.
    const bool idle = share[i] == 0.0 && z[i] != 0.0;
    const double size = idle ? 1.0 : share[i];
    worst = std::max(worst, -w[i]);
    worst = std::max(worst, z[i] < 0.0 ? size : std::min(size, std::abs(w[i])));
  }
  return worst;
}

double residual_of_basis(const Problem& p, const Equilibration& e, const double* z,
                         const std::uint8_t* in_basis, double* w) {
  double worst = 0.0;
  bool basic = false, driven = false;
  for (Index i = 0; i < p.n; ++i) {
    const double* row = p.M + i * p.n;
    double sum = p.q[i], scale = std::abs(p.q[i]);
    for (Index j = 0; j < p.n; ++j) {
      const double term = row[j] * z[j];
      sum += term;
      scale += std::abs(term);
    }
    if (!std::isfinite(scale)) return std::numeric_limits<double>::infinity();
    if (in_basis[i] != 0 && scale > 0.0)
      basic = true, driven = driven || std::abs(p.q[i]) > tolerance::rounding * scale;
    scale = std::max(scale, e.floor / e.row[i]);
    const double wrong = in_basis[i] != 0 ? std::abs(sum) : -sum;
    if (!(wrong <= worst * scale)) worst = scale > 0.0 ? wrong / scale : 0.0;
    w[i] = in_basis[i] != 0 ? 0.0 : std::max(sum, 0.0);
  }
  return basic && !driven ? std::numeric_limits<double>::infinity() : worst;
}

namespace {

constexpr double one_size = 4096.0; // sides of blocks that differ by less need no help
constexpr double lost = 1e-15;      // pivots that hold no digit of the matrix

// The power of two that brings x into [1, 2); 1 for x = 0.
double inverse_power(double x) {
  if (!(x > 0.0) || !std::isfinite(x)) return 1.0;
  int e = 0;
  std::frexp(x, &e);
  return std::ldexp(1.0, std::clamp(1 - e, -1000, 1000)); // the remaining factor scales the other side
}

} // namespace

void Equilibration::compute(const Problem& p) {
  const auto n = p.n;
  row.assign(n, 0.0);
  col.assign(n, 0.0);
  identity = true;
  for (Index i = 0; i < n; ++i) {
    const double* m = p.M + i * n;
    double top = 0.0;
    for (Index j = 0; j < n; ++j) {
      const double a = std::abs(m[j]);
      top = std::max(top, a);
      col[j] = std::max(col[j], a);
    }
    row[i] = top;
  }
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (row[i] > 0.0) low = std::min(low, row[i]), high = std::max(high, row[i]);
    if (col[i] > 0.0) low = std::min(low, col[i]), high = std::max(high, col[i]);
  }
  constexpr double well = 4096.0,
                   plain = 1e6; // spread and distance from 1 that the tolerances bear without help
  identity = high == 0.0 || (high <= well * low && high < plain && low > 1.0 / plain);
  if (identity) {
    std::fill(row.begin(), row.end(), 1.0);
    std::fill(col.begin(), col.end(), 1.0);
    match_blocks(p);
    set_floor(p);
    return;
  }
  // Alternating geometric means of the largest and smallest entry, then a last sweep that brings each row's
  // largest near 1.
  std::fill(row.begin(), row.end(), 1.0);
  std::fill(col.begin(), col.end(), 1.0);
  const auto sweep = [&](List<double>& scale, bool rows, bool geometric) {
    for (Index i = 0; i < n; ++i) {
      double top = 0.0, bottom = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < n; ++j) {
        const double a = rows ? std::abs(p.M[i * n + j]) * col[j] : std::abs(p.M[j * n + i]) * row[j];
        if (a > 0.0) top = std::max(top, a), bottom = std::min(bottom, a);
      }
      scale[i] = top > 0.0 ? inverse_power(geometric ? std::sqrt(top) * std::sqrt(bottom) : top) : 1.0;
    }
  };
  for (int k = 0; k < 4; ++k) {
    sweep(row, true, true);
    sweep(col, false, true);
  }
  sweep(row, true, false);
  match_blocks(p);
  set_floor(p);
}

// Rows and columns that no entry links are problems of their own, each of which may still be multiplied by any number in
// w and divided by it in z: the number with which all of them have sides q of one size.
void Equilibration::match_blocks(const Problem& p) {
  const Index n = p.n;
  List<Index> block(n, n);
  List<Index> open;
  List<double> side;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (Index start = 0; start < n; ++start) {
    if (block[start] < n) continue;
    double top = 0.0;
    open.assign(1, start);
    block[start] = side.size();
    while (!open.empty()) {
      const Index i = open.back();
      open.pop_back();
      top = std::max(top, row[i] * std::abs(p.q[i]));
      for (Index j = 0; j < n; ++j)
        if (block[j] == n && (p.M[i * n + j] != 0.0 || p.M[j * n + i] != 0.0)) {
          block[j] = side.size();
          open.push_back(j);
        }
    }
    side.push_back(top);
    if (top > 0.0) least = std::min(least, top), most = std::max(most, top);
  }
  if (side.size() < 2 || !(most > one_size * least)) return;
  identity = false;
  for (Index i = 0; i < n; ++i) {
    const double factor = inverse_power(side[block[i]]);
    row[i] *= factor;
    col[i] /= factor;
  }
}

void Equilibration::set_floor(const Problem& p) {
  double top = 0.0;
  for (Index i = 0; i < p.n; ++i) top = std::max(top, row[i] * std::abs(p.q[i]));
  floor = tolerance::cancelled * top;
}

bool BasisSolver::solve(const Problem& p, const Equilibration& e, const std::uint8_t* in_basis, double* z) {
  member.clear();
  for (Index i = 0; i < p.n; ++i)
    if (in_basis[i] != 0) member.push_back(i);
  const Index k = member.size();
  lu.resize(k * k), rhs.resize(k), x.assign(k, 0.0), pivot.resize(k);
  const auto entry = [&](Index i, Index j) {
    return e.row[member[i]] * p.M[member[i] * p.n + member[j]] * e.col[member[j]];
  };
  double top = 0.0;
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) top = std::max(top, std::abs(lu[i * k + j] = entry(i, j)));
  if (!factorise(lost * top)) return false;
  for (int step = 0; step < 3; ++step) { // the solution, then refinement with its residual
    for (Index i = 0; i < k; ++i) {
      double sum = -e.row[member[i]] * p.q[member[i]];
      for (Index j = 0; j < k; ++j) sum -= entry(i, j) * x[j];
      rhs[i] = sum;
    }
    solve_factored();
    for (Index i = 0; i < k; ++i) x[i] += rhs[i];
  }
  std::fill(z, z + p.n, 0.0);
  for (Index i = 0; i < k; ++i) z[member[i]] = x[i] * e.col[member[i]];
  return true;
}

bool BasisSolver::factorise(double least_pivot) {
  const Index k = member.size();
  for (Index c = 0; c < k; ++c) {
    Index best = c;
    for (Index i = c + 1; i < k; ++i)
      if (std::abs(lu[i * k + c]) > std::abs(lu[best * k + c])) best = i;
    pivot[c] = best;
    if (!(std::abs(lu[best * k + c]) > least_pivot)) return false;
    if (best != c) std::swap_ranges(&lu[c * k], &lu[c * k] + k, &lu[best * k]);
    for (Index i = c + 1; i < k; ++i) {
      const double f = lu[i * k + c] /= lu[c * k + c];
      if (f == 0.0) continue;
      for (Index j = c + 1; j < k; ++j) lu[i * k + j] -= f * lu[c * k + j];
    }
  }
  return true;
}

void BasisSolver::solve_factored() {
  const Index k = member.size();
  for (Index c = 0; c < k; ++c) std::swap(rhs[c], rhs[pivot[c]]);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < i; ++j) rhs[i] -= lu[i * k + j] * rhs[j];
  for (Index i = k; i-- > 0;) {
    for (Index j = i + 1; j < k; ++j) rhs[i] -= lu[i * k + j] * rhs[j];
    rhs[i] /= lu[i * k + i];
  }
}

} // namespace stickslip::lcp
