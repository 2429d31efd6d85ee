#include "contact/share.hpp"

#include "contact/lemke.hpp"
#include "core/linalg.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

namespace {

constexpr double heavy =
    1e6; // weight of s: exact as soon as it exceeds the multipliers of the unit-sized problems here
constexpr double slack = 1e-9; // by which a sharing may miss its limits, relative to their size

// Orthonormal basis of {y : A y = 0}.
Matrix kernel(const Matrix& A, double tolerance) {
  const linalg::Svd svd(A);
  const Index rank = (svd.values.array() > tolerance).count();
  return svd.V.rightCols(A.cols() - rank);
}

double size_of(const Limits& l, Index i, const Vector& x) {
  const Index k = l.load[static_cast<std::size_t>(i)];
  const double load = k < 0 ? 0.0 : x(k);
  return 0.5 * (std::abs(l.low_a(i) + l.low_b(i) * load) + std::abs(l.high_a(i) + l.high_b(i) * load));
}

} // namespace

Least least(const Vector& c, const Matrix& C, const Vector& d, double weight) {
  const Index m = c.size(), n = m + 1;
  lcp::RowMatrix M = lcp::RowMatrix::Zero(n, n);
  Vector q(n);
  q(0) = weight;
  q.tail(m) = c;
  M.row(0).tail(m) = -d.transpose();
  M.col(0).tail(m) = d;
  M.bottomRightCorner(m, m) = C * C.transpose();
  lcp::LemkeWorkspace ws;
  Least answer;
  answer.found = lcp::lemke(lcp::view(M, q), ws).solved();
  if (!answer.found) return answer;
  const Eigen::Map<const Vector> z(ws.z.data(), n);
  answer.s = z(0);
  answer.y = C.transpose() * z.tail(m);
  return answer;
}

bool share(const Vector& x0, const Matrix& Z, Index normals, const Limits& l, Vector& x,
           double& utilisation) {
  const Index stuck = x0.size() - normals, free = Z.cols();
  x = x0;
  Matrix kept = Z;
  const double top = x0.cwiseAbs().maxCoeff();
  const double size = top > 0.0 ? top : 1.0;
  if (normals > 0 && Z.topRows(normals).cwiseAbs().maxCoeff() > 1e-9) {
    const Index m = normals + 2 * stuck;
    Vector c(m);
    Matrix C(m, free);
    c.head(normals) = x0.head(normals);
    C.topRows(normals) = Z.topRows(normals);
    for (Index i = 0; i < stuck; ++i) {
      const Index k = l.load[static_cast<std::size_t>(i)], up = normals + 2 * i;
      const double f = x0(normals + i), load = k < 0 ? 0.0 : x0(k);
      c(up) = l.high_a(i) + l.high_b(i) * load - f;
      c(up + 1) = f - l.low_a(i) - l.low_b(i) * load;
      C.row(up) = -Z.row(normals + i);
      C.row(up + 1) = Z.row(normals + i);
      if (k >= 0) C.row(up) += l.high_b(i) * Z.row(k), C.row(up + 1) -= l.low_b(i) * Z.row(k);
    }
    const Least fit = least(c / size, C, Vector::Ones(m), heavy);
    if (!fit.found || fit.s > slack) return false;
    x += Z * fit.y * size;
    kept = Z * kernel(Z.topRows(normals), 1e-9);
  }
  for (Index k = 0; k < normals; ++k) {
    if (x(k) < -slack * size) return false;
    x(k) = std::max(x(k), 0.0);
  }
  if (kept.cols() > 0) {
    // Utilisations u = F / limit; the zero point of least norm in them makes y the only part of the norm left
    // to choose.
    Vector weight(stuck);
    for (Index i = 0; i < stuck; ++i) weight(i) = std::max(size_of(l, i, x), 1e-12 * size);
    const Vector inverse = weight.cwiseInverse();
    const Matrix scaled = inverse.asDiagonal() * kept.bottomRows(stuck);
    const Matrix U = linalg::Svd(scaled).U.leftCols(std::min(scaled.rows(), scaled.cols()));
    Vector u0 = inverse.cwiseProduct(x.tail(stuck));
    u0 -= U * (U.transpose() * u0);
    Vector c(2 * stuck), d(2 * stuck);
    Matrix C(2 * stuck, U.cols());
    for (Index i = 0; i < stuck; ++i) {
      const Index k = l.load[static_cast<std::size_t>(i)];
      const double load = k < 0 ? 0.0 : x(k);
      c(2 * i) = -u0(i), c(2 * i + 1) = u0(i);
      C.row(2 * i) = -U.row(i), C.row(2 * i + 1) = U.row(i);
      d(2 * i) = (l.high_a(i) + l.high_b(i) * load) * inverse(i);
      d(2 * i + 1) = -(l.low_a(i) + l.low_b(i) * load) * inverse(i);
    }
    const Least fit = least(c, C, d, heavy);
    if (!fit.found) return false;
    x.tail(stuck) = weight.cwiseProduct(u0 + U * fit.y);
  }
  utilisation = 0.0;
  for (Index i = 0; i < stuck; ++i) {
    const Index k = l.load[static_cast<std::size_t>(i)];
    const double load = k < 0 ? 0.0 : x(k), f = x(normals + i);
    const double limit = f >= 0.0 ? l.high_a(i) + l.high_b(i) * load : -(l.low_a(i) + l.low_b(i) * load);
    const double floor = 1e-12 * size;
    if (std::abs(f) > floor) utilisation = std::max(utilisation, std::abs(f) / std::max(limit, floor));
  }
  return utilisation <= 1.0 + slack;
}

} // namespace stickslip::contact
