#include "contact/lemke.hpp"

#include "core/budget.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::lcp {

const char* name(Status s) {
  switch (s) {
  case Status::trivial:
    return "trivial";
  case Status::solved:
    return "solved";
  case Status::ray:
    return "ray";
  case Status::budget:
    return "budget";
  case Status::doubtful:
    return "doubtful";
  }
  return "";
}

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// The dictionary x_B = b + T x_N in rows [b | T]; variables are numbered w_i = i, z_i = n + i, z0 = 2 n.
class LemkePath {
public:
  LemkePath(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& o) : p_(p), ws_(ws), o_(o), n_(p.n) {}

  void load(const double* cover) {
    const Index n = n_;
    ws_.stride = (n + 3) & ~Index{1}; // b, n columns, the artificial one, padded to an even count
    const Index s = ws_.stride;
    ws_.table.resize(n * s);
    ws_.row_variable.resize(n);
    ws_.column_variable.resize(n + 1);
    ws_.row_of.assign(2 * n + 1, -1);
    ws_.column_of.assign(2 * n + 1, -1);
    const bool plain = ws_.scaling.identity;
    const double* r = ws_.scaling.row.data();
    const double* c = ws_.scaling.col.data();
    double top = 0.0;
    for (Index i = 0; i < n; ++i) {
      double* t = row(i);
      const double* m = p_.M + i * n;
      if (plain) {
        for (Index j = 0; j < n; ++j) t[j + 1] = m[j];
        t[0] = p_.q[i];
        t[n + 1] = cover[i];
      } else {
        for (Index j = 0; j < n; ++j) t[j + 1] = r[i] * m[j] * c[j];
        t[0] = r[i] * p_.q[i];
        t[n + 1] = r[i] * cover[i];
      }
      if (s > n + 2) t[n + 2] = 0.0;
      for (Index j = 0; j < n; ++j) top = std::max(top, std::abs(t[j + 1]));
      ws_.row_variable[i] = i;
      ws_.row_of[i] = i;
      ws_.column_variable[i] = n + i;
      ws_.column_of[n + i] = i;
    }
    ws_.column_variable[n] = 2 * n;
    ws_.column_of[2 * n] = n;
    smallest_pivot_ = o_.pivot_tolerance * (top > 0.0 ? top : 1.0);
  }

  // Brings the expected basis in before the path starts; false if it is singular (then load again).
  bool warm(const std::uint8_t* basis) {
    const Index n = n_;
    for (;;) {
      Index best_row = -1, best_col = -1;
      double best = smallest_pivot_;
      bool left = false;
      for (Index j = 0; j < n; ++j) {
        if (basis[j] == 0 || ws_.column_of[n + j] < 0) continue;
        left = true;
        const Index col = ws_.column_of[n + j];
        for (Index i = 0; i < n; ++i) {
          if (basis[i] == 0 || ws_.row_of[i] < 0) continue;
          const Index r = ws_.row_of[i];
          if (std::abs(row(r)[col + 1]) > best)
            best = std::abs(row(r)[col + 1]), best_row = r, best_col = col;
        }
      }
      if (!left) break;
      if (best_row < 0) return false;
      pivot(best_row, best_col);
    }
    // The artificial column in the new coordinates: it covers all negative entries.
    for (Index i = 0; i < n; ++i) row(i)[n + 1] = 1.0;
    return true;
  }

  Status run(Index attempt, Index& pivots) {
    const Index n = n_;
    const Index budget = o_.max_pivots > 0 ? o_.max_pivots : 1000 + 50 * n;
    scale_b_ = 0.0;
    for (Index i = 0; i < n; ++i) scale_b_ = std::max(scale_b_, std::abs(row(i)[0]));
    Index leaving_row = -1;
    for (Index i = 0; i < n; ++i) { // the last of equal ratios, which is the lexicographic choice for [q | I]
      if (row(i)[0] >= 0.0) continue;
      if (!(row(i)[n + 1] > 0.0)) return Status::ray; // this covering vector does not cover
      if (leaving_row < 0 || row(i)[0] * row(leaving_row)[n + 1] <= row(leaving_row)[0] * row(i)[n + 1])
        leaving_row = i;
    }
    if (leaving_row < 0) return Status::solved;
    Index entering = n;
    for (Index k = 0; k < budget; ++k) {
      const Index left = ws_.row_variable[leaving_row];
      if (o_.record) ws_.path.push_back({attempt, ws_.column_variable[entering], left});
      pivot(leaving_row, entering);
      ++pivots;
      if (left == 2 * n) return Status::solved;
      entering = ws_.column_of[left < n ? left + n : left - n];
      leaving_row = block(entering);
      if (leaving_row < 0) {
        if (o_.record) ws_.path.push_back({attempt, ws_.column_variable[entering], -1});
        return Status::ray;
      }
    }
    return Status::budget;
  }

  void extract() {
    const Index n = n_;
    for (Index i = 0; i < n; ++i) {
      const Index v = n + i;
      const Index r = ws_.row_of[v];
      ws_.basis[i] = r >= 0 ? 1 : 0;
      const double value = r >= 0 ? std::max(row(r)[0], 0.0) : 0.0;
      ws_.z[i] = ws_.scaling.identity ? value : value * ws_.scaling.col[i];
    }
  }

private:
  double* row(Index i) { return ws_.table.data() + i * ws_.stride; }

  void pivot(Index r, Index col) {
    const Index n = n_, s = ws_.stride, k = col + 1;
    Budget::spend(n * s);
    double* __restrict__ pr = row(r);
    const double inverse = 1.0 / pr[k];
    for (Index j = 0; j < s; ++j) pr[j] *= -inverse;
    pr[k] = inverse;
    double top = 0.0;
    for (Index i = 0; i < n; ++i) {
      if (i == r) continue;
      double* __restrict__ t = row(i);
      const double f = t[k];
      if (f == 0.0) continue;
      t[k] = 0.0;
      for (Index j = 0; j < s; ++j) t[j] += f * pr[j];
      top = std::max(top, std::abs(t[0]));
    }
    scale_b_ = std::max(scale_b_, std::max(top, std::abs(pr[0])));
    const Index out = ws_.row_variable[r], in = ws_.column_variable[col];
    ws_.row_variable[r] = in;
    ws_.column_variable[col] = out;
    ws_.row_of[in] = r;
    ws_.row_of[out] = -1;
    ws_.column_of[out] = col;
    ws_.column_of[in] = -1;
  }

  // Minimum ratio; the artificial variable first among ties, then the lexicographic order of [b | B^-1].
  Index block(Index col) {
    const Index n = n_, k = col + 1;
    double theta = inf;
    Index best = -1;
    for (Index i = 0; i < n; ++i) {
      const double t = row(i)[k];
      if (t >= -smallest_pivot_) continue;
      const double ratio = std::max(row(i)[0], 0.0) / -t;
      if (ratio < theta) theta = ratio, best = i;
    }
    if (best < 0) return -1;
    const double slack = tolerance::last_digits * static_cast<double>(n) * scale_b_;
    ws_.tied.clear();
    for (Index i = 0; i < n; ++i) {
      const double t = row(i)[k];
      if (t >= -smallest_pivot_ || std::max(row(i)[0], 0.0) + t * theta > slack) continue;
      if (ws_.row_variable[i] == 2 * n) return i;
      ws_.tied.push_back(i);
    }
    return ws_.tied.size() > 1 ? lexicographic(k) : best;
  }

  // Column of B^-1 that belongs to w_j: a unit vector while w_j is basic, else minus its column of the
  // dictionary.
  Index lexicographic(Index k) {
    auto& tied = ws_.tied;
    for (Index j = 0; j < n_ && tied.size() > 1; ++j) {
      const Index basic = ws_.row_of[j], c = ws_.column_of[j];
      double least = inf;
      const auto ratio = [&](Index i) {
        const double e = basic >= 0 ? (basic == i ? 1.0 : 0.0) : -row(i)[c + 1];
        return e / -row(i)[k];
      };
      for (const Index i : tied) least = std::min(least, ratio(i));
      const double slack = tolerance::residual * std::max(1.0, std::abs(least));
      tied.erase(std::remove_if(tied.begin(), tied.end(), [&](Index i) { return ratio(i) > least + slack; }),
                 tied.end());
    }
    // Rows of an inverse are independent, so one is left but for rounding; then the safest pivot.
    return *std::min_element(tied.begin(), tied.end(),
                             [&](Index a, Index b) { return row(a)[k] < row(b)[k]; });
  }

  const Problem& p_;
  LemkeWorkspace& ws_;
  const LemkeOptions& o_;
  Index n_;
  double smallest_pivot_ = 0.0, scale_b_ = 0.0;
};

// Turns the final dictionary into a verified answer; solves the basis afresh if elimination lost too many
// digits.
bool verified(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& o, LemkeResult& result) {
  result.residual = residual_of_basis(p, ws.scaling, ws.z.data(), ws.basis.data(), ws.w.data());
  if (result.residual <= o.polish) return true;
  std::copy(ws.z.begin(), ws.z.end(), ws.column.begin());
  if (ws.polish.solve(p, ws.scaling, ws.basis.data(), ws.z.data())) {
    for (double& z : ws.z) z = std::max(z, 0.0);
    const double better = residual_of_basis(p, ws.scaling, ws.z.data(), ws.basis.data(), ws.w.data());
    if (better <= result.residual) {
      result.residual = better;
      return better <= o.accept;
    }
  }
  std::copy(ws.column.begin(), ws.column.end(), ws.z.begin());
  result.residual = residual_of_basis(p, ws.scaling, ws.z.data(), ws.basis.data(), ws.w.data());
  return result.residual <= o.accept;
}

} // namespace

// Ones in the rows as given (as in textbooks), ones in the equilibrated rows, the size of q, then fixed irregular ones
// that break the symmetry of the first.
bool covering_vector(Index attempt, const Problem& p, LemkeWorkspace& ws) {
  const auto n = p.n;
  ws.cover.resize(n);
  if (attempt == 0) {
    std::fill(ws.cover.begin(), ws.cover.end(), 1.0);
    return true;
  }
  double mean = 0.0;
  for (Index i = 0; i < n; ++i) mean += ws.scaling.row[i] * std::abs(p.q[i]) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    const double r = ws.scaling.row[i];
    const double golden = std::fmod(0.6180339887498949 * static_cast<double>((i + 1) * attempt), 1.0);
    switch (attempt) {
    case 1:
      if (ws.scaling.identity)
        ws.cover[i] = 1.0 + static_cast<double>(i); // ones have been tried
      else
        ws.cover[i] = 1.0 / r;
      break;
    case 2:
      ws.cover[i] = std::abs(p.q[i]) + 0.1 * mean / r;
      break;
    default:
      ws.cover[i] = (0.05 + golden) / r;
    }
  }
  return attempt < 7;
}

LemkeResult lemke(const Problem& p, LemkeWorkspace& ws, const LemkeOptions& o) {
  const auto n = p.n;
  ws.z.resize(n), ws.w.resize(n), ws.basis.resize(n), ws.column.resize(n);
  ws.path.clear(), ws.path_covers.clear();
  LemkeResult result;
  if (std::all_of(p.q, p.q + n, [](double v) { return v >= 0.0; })) {
    std::fill(ws.z.begin(), ws.z.end(), 0.0);
    std::fill(ws.basis.begin(), ws.basis.end(), std::uint8_t{0});
    std::copy(p.q, p.q + n, ws.w.begin());
    result.status = Status::trivial;
    return result;
  }
  ws.scaling.compute(p);
  ws.tied.reserve(n);
  LemkePath path(p, ws, o);
  const auto attempt = [&](bool warm) {
    if (warm && !path.warm(o.start_basis)) path.load(o.covering != nullptr ? o.covering : ws.cover.data());
    const Status s = path.run(result.attempts, result.pivots);
    ++result.attempts;
    if (s != Status::solved) return s;
    path.extract();
    return verified(p, ws, o, result) ? s : Status::doubtful;
  };
  const auto worse = [](Status a, Status b) {
    return a == Status::doubtful || b == Status::doubtful ? Status::doubtful : (a == Status::budget ? a : b);
  };
  bool first = true;
  for (Index k = 0; k < 7; ++k) {
    if (o.covering == nullptr) covering_vector(k, p, ws);
    const double* cover = o.covering != nullptr ? o.covering : ws.cover.data();
    if (o.record) ws.path_covers.insert(ws.path_covers.end(), cover, cover + n);
    path.load(cover);
    const Status s = attempt(k == 0 && o.start_basis != nullptr);
    result.status = first ? s : worse(result.status, s);
    first = false;
    if (s == Status::solved) {
      result.status = s;
      return result;
    }
    if (o.covering != nullptr) break;
  }
  if (result.status != Status::doubtful) {
    result.residual = inf;
    std::fill(ws.z.begin(), ws.z.end(), std::numeric_limits<double>::quiet_NaN());
    std::fill(ws.w.begin(), ws.w.end(), std::numeric_limits<double>::quiet_NaN());
    std::fill(ws.basis.begin(), ws.basis.end(), std::uint8_t{0});
  }
  return result;
}

} // namespace stickslip::lcp
