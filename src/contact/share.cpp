#include "contact/share.hpp"

#include "contact/held_limits.hpp"
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

Vector units_by_limits(const ForceLimits& l, Index normals, const Vector& x) {
  const Index sticking = x.size() - normals;
  Vector limits(sticking), units = Vector::Ones(x.size());
  for (Index i = 0; i < sticking; ++i) limits(i) = high(l, i, x) - low(l, i, x);
  units.tail(sticking) = units_of_norm(limits);
  return units;
}

// Least norm in these units; Z becomes the shifts by unit steps there.
void minimise_norm(const Vector& units, Matrix& Z, Vector& x) {
  Z = units.cwiseInverse().asDiagonal() * Z;
  linalg::orthonormalise(Z);
  Vector in_units = x.cwiseQuotient(units);
  for (int round = 0; round < 2; ++round) in_units -= Z * (Z.transpose() * in_units); // the first may cancel
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

} // namespace

bool loads_shift(const Eigen::Ref<const Matrix>& normals) {
  return normals.size() > 0 && normals.cwiseAbs().maxCoeff() > tolerance::matrix_zero;
}

Vector units_of_norm(const Vector& limits) {
  const double greatest = limits.maxCoeff();
  if (!(greatest > 0.0)) return Vector::Ones(limits.size());
  return (limits / greatest).cwiseMax(tolerance::product).cwiseSqrt();
}

bool share(const Vector& x0, const Matrix& Z, Index normals, const ForceLimits& l, Vector& x) {
  x = x0;
  const bool by_friction = !loads_shift(Z.topRows(normals));
  Matrix shifts = Z;
  minimise_norm(by_friction ? units_by_limits(l, normals, x) : Vector::Ones(x.size()), shifts, x);
  const double top = x.cwiseAbs().maxCoeff(), size = top > 0.0 ? top : 1.0;
  if (!keep_limits(shifts, normals, l, size, x)) return false;
  for (Index k = 0; k < normals; ++k)
    if (x(k) <= tolerance::rounding * size) x(k) = 0.0;
  for (Index i = 0; i < x.size() - normals; ++i) // a released brake holds exactly nothing
    x(normals + i) = std::min(std::max(x(normals + i), low(l, i, x)), high(l, i, x));
  return true;
}

} // namespace stickslip::contact
