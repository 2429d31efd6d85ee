#include "contact/share.hpp"

#include "contact/preload.hpp"
#include "core/linalg.hpp"
#include "core/rank_factors.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

namespace {

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

// Units of the norm: of sticking elements alone, the square roots of their limits, so that those which hold one body use
// equal parts of them. One without a limit (a released brake) holds nothing.
Vector units_of_norm(const ForceLimits& l, Index normals, const Vector& x) {
  const Index sticking = x.size() - normals;
  Vector limit(sticking), units = Vector::Ones(x.size());
  for (Index i = 0; i < sticking; ++i) limit(i) = high(l, i, x) - low(l, i, x);
  if (const double greatest = limit.maxCoeff(); greatest > 0.0)
    units.tail(sticking) = (limit / greatest).cwiseMax(tolerance::product).cwiseSqrt();
  return units;
}

// Least norm in these units; Z becomes the shifts by unit steps there.
void minimise_norm(const Vector& units, Matrix& Z, Vector& x) {
  Z = units.cwiseInverse().asDiagonal() * Z;
  linalg::orthonormalise(Z);
  Vector in_units = x.cwiseQuotient(units);
  in_units -= Z * (Z.transpose() * in_units);
  x = units.cwiseProduct(in_units);
  Z = units.asDiagonal() * Z;
}

// Of x + Z y within all limits, without preload, that of least y. False if there is none.
bool keep_limits(const Matrix& Z, Index normals, const ForceLimits& l, double size, Vector& x) {
  const Index sticking = x.size() - normals;
  List<double> margins;
  List<Vector> rows;
  bool beyond = false; // a limit that nothing shifts
  const auto limit = [&](double margin, const Vector& row) {
    const double shift = (row.transpose() * Z).cwiseAbs().maxCoeff(),
                 terms = (row.transpose().cwiseAbs() * Z.cwiseAbs()).maxCoeff();
    if (shift > tolerance::matrix_zero * terms && shift > tolerance::residual * row.cwiseAbs().maxCoeff())
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
  Matrix shifts = Z;
  minimise_norm(loads_shift ? Vector::Ones(x.size()) : units_of_norm(l, normals, x), shifts, x);
  if (!keep_limits(shifts, normals, l, size, x)) return false;
  for (Index k = 0; k < normals; ++k) {
    if (x(k) < -tolerance::same * size) return false;
    if (x(k) <= tolerance::rounding * size) x(k) = 0.0;
  }
  for (Index i = 0; i < x.size() - normals && !loads_shift; ++i) { // a released brake holds exactly nothing
    const double lo = low(l, i, x), hi = high(l, i, x);
    if (hi - lo <= tolerance::same * size) x(normals + i) = std::max(lo, std::min(x(normals + i), hi));
  }
  utilisation = greatest_utilisation(normals, l, size, x);
  return loads_shift || utilisation <= 1.0 + tolerance::same;
}

} // namespace stickslip::contact
