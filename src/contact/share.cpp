#include "contact/share.hpp"

#include "contact/lemke.hpp"
#include "contact/preload.hpp"
#include "core/linalg.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

namespace {

constexpr double heavy =
    1e6; // weight of s: exact as soon as it exceeds the multipliers of the unit-sized problems here

double load_on(const ForceLimits& l, Index i, const Vector& x) {
  return l.load[i] < 0 ? 0.0 : x(l.load[i]);
}

double low(const ForceLimits& l, Index i, const Vector& x) {
  return l.low_a(i) + l.low_b(i) * load_on(l, i, x);
}

double high(const ForceLimits& l, Index i, const Vector& x) {
  return l.high_a(i) + l.high_b(i) * load_on(l, i, x);
}

// The force of least size within the limits: 0, or that end of the interval which is next to 0.
double least_force(const ForceLimits& l, Index i, const Vector& x) {
  return std::max(low(l, i, x), std::min(high(l, i, x), 0.0));
}

} // namespace

LeastNorm least_norm(const Vector& c, const Matrix& C, const Vector& d, double weight) {
  const Index m = c.size(), n = m + 1;
  lcp::RowMatrix M = lcp::RowMatrix::Zero(n, n);
  Vector q(n);
  q(0) = weight;
  q.tail(m) = c;
  M.row(0).tail(m) = -d.transpose();
  M.col(0).tail(m) = d;
  M.bottomRightCorner(m, m) = C * C.transpose();
  lcp::LemkeWorkspace ws;
  LeastNorm answer;
  answer.found = lcp::lemke(lcp::view(M, q), ws).solved();
  if (!answer.found) return answer;
  const Eigen::Map<const Vector> z(ws.z.data(), n);
  answer.s = z(0);
  answer.y = C.transpose() * z.tail(m);
  return answer;
}

namespace {

// Forces of least norm among those within all limits, without preload. False if there are none.
bool choose_within_limits(const Matrix& Z, Index normals, const ForceLimits& l, double size, Vector& x) {
  x -= Z * (Z.transpose() * x);
  const Index sticking = x.size() - normals;
  List<double> margins;
  List<Vector> rows;
  bool beyond = false; // a limit that nothing shifts
  const auto limit = [&](double margin, const Vector& row) {
    const double shift = (row.transpose() * Z).cwiseAbs().maxCoeff();
    if (shift > tolerance::matrix_zero * row.cwiseAbs().maxCoeff())
      margins.push_back(margin), rows.push_back(row);
    else
      beyond = beyond || margin < -tolerance::same * size;
  };
  List<Index> number(normals); // of the limit of each normal force
  for (Index k = 0; k < normals; ++k) {
    number[k] = rows.size();
    limit(x(k), Vector::Unit(x.size(), k));
  }
  for (Index i = 0; i < sticking; ++i) {
    const Index k = l.load[i];
    const double f = x(normals + i);
    Vector up = -Vector::Unit(x.size(), normals + i), down = -up;
    if (k >= 0) up(k) += l.high_b(i), down(k) -= l.low_b(i);
    limit(high(l, i, x) - f, up);
    limit(f - low(l, i, x), down);
  }
  if (beyond) return false;
  const Index m = rows.size();
  Matrix C(m, Z.cols());
  for (Index k = 0; k < m; ++k) C.row(k) = rows[k].transpose() * Z;
  const Vector c = Eigen::Map<const Vector>(margins.data(), m);
  // The instant is known as events are located.
  const Vector known = Vector::Constant(m, size * tolerance::event_zero / tolerance::residual);
  if (within_limits(c, known)) return true;
  List<List<Index>> relieving;
  if (l.effects.cols() > 0) relieving = relieving_contacts(l.effects);
  for (List<Index>& set : relieving)
    for (Index& k : set) k = number[k];
  const HeldLimits at = held_limits(C * C.transpose(), c, known, relieving);
  if (!at.found) return false;
  const Matrix held = C(at.held, Eigen::all);
  x -= Z * (held.transpose() * linalg::solve(held * held.transpose(), c(at.held)));
  return true;
}

// Elements with a negligible limit (a released brake) get their least force; Z keeps the directions that preserve it.
// Returns false if this is impossible.
bool settle_idle(Index normals, const ForceLimits& l, double size, Matrix& Z, Vector& x) {
  List<Index> idle;
  for (Index i = 0; i < x.size() - normals; ++i)
    if (high(l, i, x) - low(l, i, x) <= tolerance::same * size) idle.push_back(normals + i);
  if (idle.empty()) return true;
  const linalg::Svd svd(Z(idle, Eigen::all));
  const Index directions = Z.cols(), most = std::min<Index>(idle.size(), directions);
  Index rank = 0;
  while (rank < most && svd.values(rank) > tolerance::matrix_zero) ++rank;
  Vector missing(idle.size());
  for (Index i = 0; i < idle.size(); ++i) missing(i) = least_force(l, idle[i] - normals, x) - x(idle[i]);
  x += Z * (svd.pseudo_inverse(rank) * missing);
  for (const Index k : idle) {
    const double least = least_force(l, k - normals, x);
    if (std::abs(x(k) - least) > tolerance::same * size) return false;
    x(k) = least;
  }
  Z = (Z * svd.V.rightCols(directions - rank)).eval();
  for (const Index k : idle) Z.row(k).setZero();
  return true;
}

// If limits differ by orders of magnitude, a sharing that satisfies all utilisations exceeds some limits by rounding of
// the greatest: these elements are set to their limits, and the others carry the rest.
void keep_limits(const Matrix& Z, Index normals, const ForceLimits& l, Vector& x) {
  const Index sticking = x.size() - normals;
  const auto within = [&](const Vector& at, Index i) {
    return std::clamp(at(normals + i), low(l, i, x), high(l, i, x));
  };
  const auto beyond = [&](const Vector& at) {
    double most = 0.0;
    for (Index i = 0; i < sticking; ++i) most = std::max(most, std::abs(at(normals + i) - within(at, i)));
    return most;
  };
  List<Index> held;
  List<double> missing;
  Vector better = x;
  for (Index round = 0; round < sticking; ++round) {
    const Index before = held.size();
    for (Index i = 0; i < sticking; ++i) {
      const double limit = within(better, i);
      const bool moves = Z.row(normals + i).cwiseAbs().maxCoeff() > tolerance::matrix_zero;
      if (!moves || limit == better(normals + i) || std::find(held.begin(), held.end(), i) != held.end())
        continue;
      held.push_back(i);
      missing.push_back(limit - x(normals + i));
    }
    if (held.size() == before) break;
    const Matrix rows = Z.bottomRows(sticking)(held, Eigen::all);
    better = x + Z * (linalg::pseudo_inverse(rows) * Eigen::Map<const Vector>(missing.data(), held.size()));
  }
  if (beyond(better) < beyond(x)) x = better;
}

// The elements share so that the greatest utilisation is least, counted from their least forces. In utilisations u =
// F / limit the zero point of least norm makes y the only part of the norm left to choose.
bool share_by_utilisation(Matrix kept, Index normals, const ForceLimits& l, double size, Vector& x) {
  const Index sticking = x.size() - normals;
  if (!settle_idle(normals, l, size, kept, x)) return false;
  if (kept.cols() == 0) return true;
  Vector weight(sticking), least(sticking);
  for (Index i = 0; i < sticking; ++i) {
    weight(i) = std::max(0.5 * (high(l, i, x) - low(l, i, x)), tolerance::negligible * size);
    least(i) = least_force(l, i, x);
  }
  const Vector inverse = weight.cwiseInverse();
  const Matrix scaled = inverse.asDiagonal() * kept.bottomRows(sticking);
  const Matrix U = linalg::Svd(scaled).U.leftCols(std::min(scaled.rows(), scaled.cols()));
  Vector u0 = inverse.cwiseProduct(x.tail(sticking) - least);
  u0 -= U * (U.transpose() * u0);
  Vector c(2 * sticking), d(2 * sticking);
  Matrix C(2 * sticking, U.cols());
  for (Index i = 0; i < sticking; ++i) {
    c(2 * i) = -u0(i), c(2 * i + 1) = u0(i);
    C.row(2 * i) = -U.row(i), C.row(2 * i + 1) = U.row(i);
    d(2 * i) = (high(l, i, x) - least(i)) * inverse(i);
    d(2 * i + 1) = (least(i) - low(l, i, x)) * inverse(i);
  }
  if (const LeastNorm fit = least_norm(c, C, d, heavy); fit.found) {
    // Weights of very different size cause rounding errors that would move bodies at rest: only shifts are kept.
    const auto Z = kept.bottomRows(sticking);
    const Vector shifted = weight.cwiseProduct(u0 + U * fit.y) + least - x.tail(sticking);
    x.tail(sticking) += Z * (Z.transpose() * shifted);
  }
  keep_limits(kept, normals, l, x);
  return true;
}

double greatest_utilisation(Index normals, const ForceLimits& l, double size, const Vector& x) {
  double greatest = 0.0;
  for (Index i = 0; i < x.size() - normals; ++i) {
    const double lo = low(l, i, x), hi = high(l, i, x), least = least_force(l, i, x);
    const double none = std::max(tolerance::product * size, 0.5 * tolerance::same * (hi - lo));
    const double f = x(normals + i) - least, limit = f >= 0.0 ? hi - least : least - lo;
    if (std::abs(f) > none) greatest = std::max(greatest, std::abs(f) / std::max(limit, none));
  }
  return greatest;
}

} // namespace

bool share(const Vector& x0, const Matrix& Z, Index normals, const ForceLimits& l, Vector& x,
           double& utilisation) {
  x = x0;
  const double top = x0.cwiseAbs().maxCoeff();
  const double size = top > 0.0 ? top : 1.0;
  const bool loads_shift = normals > 0 && Z.topRows(normals).cwiseAbs().maxCoeff() > tolerance::matrix_zero;
  if (loads_shift && !choose_within_limits(Z, normals, l, size, x)) return false;
  for (Index k = 0; k < normals; ++k) {
    if (x(k) < -tolerance::same * size) return false;
    if (x(k) <= tolerance::rounding * size) x(k) = 0.0;
  }
  if (!loads_shift && !share_by_utilisation(Z, normals, l, size, x)) return false;
  utilisation = greatest_utilisation(normals, l, size, x);
  return loads_shift || utilisation <= 1.0 + tolerance::same;
}

} // namespace stickslip::contact
