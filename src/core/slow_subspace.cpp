#include "core/slow_subspace.hpp"

#include "core/list.hpp"
#include "core/small_lu.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace stickslip {

namespace {

using Wide = long double;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
using Complex = std::complex<Wide>;
using ComplexMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;

constexpr Index largest_size = 40;
constexpr Wide gap = 8.0L;          // between the moduli of slow and fast
constexpr Wide least_decay = 0.02L; // of a fast mode, relative to its modulus
constexpr double worst_projector = 1e7;

// Powers of two that make rows and columns of equal size (Osborne, J. ACM 7 (1960) 338-345).
Vector balance(const Matrix& A) {
  const Index n = A.rows();
  Vector d = Vector::Ones(n);
  for (int round = 0; round < 100; ++round) {
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      double row = 0.0, column = 0.0;
      for (Index j = 0; j < n; ++j)
        if (j != i) row += std::abs(A(i, j)) * d(j) / d(i), column += std::abs(A(j, i)) * d(i) / d(j);
      if (row == 0.0 || column == 0.0) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0 || row / factor + column * factor > 0.95 * (row + column)) continue;
      d(i) *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  return d;
}

// Exchanges neighbours k and k + 1 on the diagonal of T, A = Q T Q^H.
void exchange(ComplexMatrix& T, ComplexMatrix& Q, Index k) {
  Eigen::JacobiRotation<Complex> rotation;
  rotation.makeGivens(T(k, k + 1), T(k + 1, k + 1) - T(k, k));
  T.applyOnTheLeft(k, k + 1, rotation.adjoint());
  T.applyOnTheRight(k, k + 1, rotation);
  Q.applyOnTheRight(k, k + 1, rotation);
  T(k + 1, k) = 0.0L;
}

// Real factors of a real projector of rank m: P = R L, L R = 1. R by the method of Gram and Schmidt, twice for each
// column, which is orthonormal to rounding (Giraud et al., Numer. Math. 101 (2005) 87-100); the longest comes next.
void factors(const WideMatrix& P, Index m, WideMatrix& R, WideMatrix& L) {
  WideMatrix left = P;
  R.resize(P.rows(), m);
  for (Index k = 0; k < m; ++k) {
    Index longest = 0;
    for (Index j = 1; j < left.cols(); ++j)
      if (left.col(j).squaredNorm() > left.col(longest).squaredNorm()) longest = j;
    R.col(k) = left.col(longest);
    for (int twice = 0; twice < 2; ++twice) {
      for (Index i = 0; i < k; ++i) R.col(k) -= R.col(i).dot(R.col(k)) * R.col(i);
      R.col(k) /= R.col(k).norm();
    }
    for (Index j = 0; j < left.cols(); ++j) left.col(j) -= R.col(k).dot(left.col(j)) * R.col(k);
  }
  L = R.transpose().lazyProduct(P);
}

// Not finite where A is singular.
WideMatrix inverse(WideMatrix A) {
  const Index n = A.rows();
  WideMatrix B = WideMatrix::Constant(n, n, std::numeric_limits<Wide>::infinity());
  Eigen::VectorXi order(n);
  if (!lu_factor(A.data(), n, order.data())) return B;
  const WideMatrix unit = WideMatrix::Identity(n, n);
  for (Index k = 0; k < n; ++k) lu_solve(A.data(), n, order.data(), unit.col(k).data(), B.col(k).data());
  return B;
}

} // namespace

List<SlowSubspace> slow_subspaces(const Matrix& A) {
  List<SlowSubspace> found;
  const Index n = A.rows();
  if (n == 0 || n > largest_size || !A.allFinite()) return found;
  const Vector d = balance(A);
  const Eigen::Matrix<Wide, Eigen::Dynamic, 1> D = d.cast<Wide>();
  const WideMatrix balanced = D.cwiseInverse().asDiagonal() * A.cast<Wide>() * D.asDiagonal();
  Eigen::ComplexSchur<WideMatrix> schur(balanced);
  if (schur.info() != Eigen::Success) return found;
  ComplexMatrix T = schur.matrixT(), Q = schur.matrixU();
  for (Index pass = 0; pass < n; ++pass) // slow ones first
    for (Index k = 0; k + 1 < n - pass; ++k)
      if (std::abs(T(k, k)) > std::abs(T(k + 1, k + 1))) exchange(T, Q, k);
  Index oscillating = n; // all from here on decay
  while (oscillating > 0 && T(oscillating - 1, oscillating - 1).real() <
                                -least_decay * std::abs(T(oscillating - 1, oscillating - 1)))
    --oscillating;
  for (Index m = oscillating; m < n; ++m) {
    const Wide slow = m > 0 ? std::abs(T(m - 1, m - 1)) : 0.0L, fast = std::abs(T(m, m));
    if (!(fast > gap * slow)) continue;
    // T11 Y - Y T22 = -T12 turns the blocks apart.
    const Index f = n - m;
    ComplexMatrix Y(m, f);
    for (Index j = 0; j < f; ++j) {
      Eigen::Matrix<Complex, Eigen::Dynamic, 1> b = -T.block(0, m + j, m, 1);
      for (Index i = 0; i < j; ++i) b += Y.col(i) * T(m + i, m + j);
      for (Index i = m - 1; i >= 0; --i) {
        for (Index q = i + 1; q < m; ++q) b(i) -= T(i, q) * Y(q, j);
        Y(i, j) = b(i) / (T(i, i) - T(m + j, m + j));
      }
    }
    const ComplexMatrix rows = Q.leftCols(m).adjoint() - Y.lazyProduct(Q.rightCols(f).adjoint());
    const WideMatrix P = Q.leftCols(m).lazyProduct(rows).real();
    if (!(static_cast<double>(P.cwiseAbs().maxCoeff()) < worst_projector)) continue;
    WideMatrix Rs, Ls, Rf, Lf;
    factors(P, m, Rs, Ls);
    factors(WideMatrix::Identity(n, n) - P, f, Rf, Lf);
    const WideMatrix slow_rates = balanced.lazyProduct(Rs), fast_rates = balanced.lazyProduct(Rf);
    WideMatrix As = Ls.lazyProduct(slow_rates);
    const WideMatrix Af = Lf.lazyProduct(fast_rates);
    // What is left of the fast rates where a slow one is zero (a mass that drifts) is nothing but rounding.
    const Wide noise = 16.0L * std::numeric_limits<Wide>::epsilon() * static_cast<Wide>(n) *
                       balanced.cwiseAbs().maxCoeff() * (m > 0 ? Ls.cwiseAbs().maxCoeff() : 1.0L);
    for (Index i = 0; i < m * m; ++i)
      if (std::abs(As.data()[i]) < noise) As.data()[i] = 0.0L;
    SlowSubspace s;
    s.As = As.cast<double>();
    s.Af_inverse = inverse(Af).cast<double>();
    s.Rs = (D.asDiagonal() * Rs).cast<double>();
    s.Rf = (D.asDiagonal() * Rf).cast<double>();
    s.Ls = (Ls * D.cwiseInverse().asDiagonal()).cast<double>();
    s.Lf = (Lf * D.cwiseInverse().asDiagonal()).cast<double>();
    s.rounding = s.Rf.cwiseAbs().lazyProduct(s.Lf.cwiseAbs());
    s.slow_rate = static_cast<double>(slow), s.fast_rate = static_cast<double>(fast);
    if (s.Af_inverse.allFinite() && s.As.allFinite()) found.push_back(std::move(s));
  }
  return found;
}

} // namespace stickslip
