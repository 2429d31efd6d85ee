#include "core/slow_subspace.hpp"

#include "core/double_double.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/small_lu.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <utility>

namespace stickslip {

namespace {

using Wide = Eigen::Matrix<DoubleDouble, Eigen::Dynamic, Eigen::Dynamic>;
using Complex = std::complex<double>;
using ComplexMatrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;

constexpr Index largest_size = 40;
constexpr double gap = 8.0;          // between the moduli of slow and fast
constexpr double least_decay = 0.02; // of a fast mode, relative to its modulus
constexpr double worst_projector = 1e7;

// Exchanges neighbours k and k + 1 on the diagonal of T, A = Q T Q^H.
void exchange(ComplexMatrix& T, ComplexMatrix& Q, Index k) {
  Eigen::JacobiRotation<Complex> rotation;
  rotation.makeGivens(T(k, k + 1), T(k + 1, k + 1) - T(k, k));
  T.applyOnTheLeft(k, k + 1, rotation.adjoint());
  T.applyOnTheRight(k, k + 1, rotation);
  Q.applyOnTheRight(k, k + 1, rotation);
  T(k + 1, k) = 0.0;
}

// Eigenvalues on the diagonal, slow ones first: A = Q T Q^H.
struct OrderedSchur {
  ComplexMatrix T, Q;
  bool found = false;

  explicit OrderedSchur(const Matrix& A) {
    const Index n = A.rows();
    const Eigen::ComplexSchur<Matrix> schur(A);
    found = schur.info() == Eigen::Success;
    if (!found) return;
    T = schur.matrixT(), Q = schur.matrixU();
    for (Index pass = 0; pass < n; ++pass)
      for (Index k = 0; k + 1 < n - pass; ++k)
        if (modulus(k) > modulus(k + 1)) exchange(T, Q, k);
  }
  double modulus(Index k) const { return std::abs(T(k, k)); }
  bool decays(Index k) const { return T(k, k).real() < -least_decay * modulus(k); }

  // The real projector onto the m slow modes along the others: T11 Y - Y T22 = -T12 turns the blocks apart.
  Matrix projector(Index m) const {
    const Index f = T.rows() - m;
    ComplexMatrix Y(m, f);
    for (Index j = 0; j < f; ++j) {
      Eigen::VectorXcd b = -T.block(0, m + j, m, 1);
      for (Index i = 0; i < j; ++i) b += Y.col(i) * T(m + i, m + j);
      for (Index i = m - 1; i >= 0; --i) {
        for (Index q = i + 1; q < m; ++q) b(i) -= T(i, q) * Y(q, j);
        Y(i, j) = b(i) / (T(i, i) - T(m + j, m + j));
      }
    }
    const ComplexMatrix rows = Q.leftCols(m).adjoint() - Y.lazyProduct(Q.rightCols(f).adjoint());
    return Q.leftCols(m).lazyProduct(rows).real();
  }
};

// Columns that span those of a real projector of rank m, by the method of Gram and Schmidt, twice for each column,
// which is orthonormal to rounding (Giraud et al., Numer. Math. 101 (2005) 87-100); the longest comes next.
Matrix range(Matrix left, Index m) {
  Matrix R(left.rows(), m);
  for (Index k = 0; k < m; ++k) {
    Index longest = 0;
    left.colwise().squaredNorm().maxCoeff(&longest);
    R.col(k) = left.col(longest);
    for (int twice = 0; twice < 2; ++twice) {
      for (Index i = 0; i < k; ++i) R.col(k) -= R.col(i).dot(R.col(k)) * R.col(i);
      R.col(k) /= R.col(k).norm();
    }
    for (Index j = 0; j < left.cols(); ++j) left.col(j) -= R.col(k).dot(left.col(j)) * R.col(k);
  }
  return R;
}

// Not finite where A is singular.
Wide inverse(Wide A) {
  const Index n = A.rows();
  Wide B = Wide::Constant(n, n, std::numeric_limits<double>::infinity());
  Eigen::VectorXi order(n);
  if (!lu_factor(A.data(), n, order.data())) return B;
  const Wide unit = Wide::Identity(n, n);
  for (Index k = 0; k < n; ++k) lu_solve(A.data(), n, order.data(), unit.col(k).data(), B.col(k).data());
  return B;
}

// Solves F X - X S = C; all eigenvalues of F are larger than those of S: their ratio reduces the error in each round.
Matrix apart(const Matrix& F, const Matrix& S, const Matrix& C) {
  const Matrix back = linalg::inverse(F);
  Matrix X = back * C;
  for (int round = 0; round < 60; ++round) {
    const Matrix next = back * (C + X * S);
    const double moved = (next - X).cwiseAbs().maxCoeff();
    X = next;
    if (!(moved > 1e-12 * X.cwiseAbs().maxCoeff())) break;
  }
  return X;
}

double largest(const Wide& A) {
  return A.size() == 0 ? 0.0 : A.cast<double>().cwiseAbs().maxCoeff();
}

// A = Rs As Ls + Rf Af Lf, [Ls; Lf] [Rs Rf] = 1.
struct Split {
  Wide As, Af, Rs, Rf, Ls, Lf;
  double fast_rate = 0.0;
};

// Makes two nearly invariant subspaces invariant: the off-diagonal blocks of L A R vanish. Each round multiplies
// their error by that of the equations in double (Newton's method; G. W. Stewart, SIAM Review 15 (1973)
// 727-764).
std::optional<Split> invariant(const Wide& A, const Matrix& slow, const Matrix& fast) {
  const Index n = A.rows(), m = slow.cols(), f = fast.cols();
  Wide R(n, n);
  R << slow.cast<DoubleDouble>(), fast.cast<DoubleDouble>();
  for (int round = 0; round < 8; ++round) {
    const Wide L = inverse(R);
    Wide B = L.lazyProduct(A.lazyProduct(R).eval());
    const double noise =
        16.0 * DoubleDouble::epsilon * static_cast<double>(n) * largest(A) * largest(L) * largest(R);
    if (!std::isfinite(noise)) return {};
    if (std::max(largest(B.topRightCorner(m, f)), largest(B.bottomLeftCorner(f, m))) <= noise) {
      // If a slow rate is zero (a drifting mass), the remaining coupling to the fast rates is rounding error.
      for (Index j = 0; j < m; ++j)
        for (Index i = 0; i < m; ++i)
          if (std::abs(B(i, j).high) <= noise) B(i, j) = 0.0;
      return Split{.As = B.topLeftCorner(m, m),
                   .Af = B.bottomRightCorner(f, f),
                   .Rs = R.leftCols(m),
                   .Rf = R.rightCols(f),
                   .Ls = L.topRows(m),
                   .Lf = L.bottomRows(f)};
    }
    const Matrix b = B.cast<double>(), S = b.topLeftCorner(m, m), F = b.bottomRightCorner(f, f);
    const Matrix Y = apart(F, S, -b.bottomLeftCorner(f, m)),
                 Z = apart(F.transpose(), S.transpose(), b.topRightCorner(m, f).transpose()).transpose();
    Wide turned(n, n);
    turned << R.leftCols(m) + R.rightCols(f).lazyProduct(Y.cast<DoubleDouble>()),
        R.rightCols(f) + R.leftCols(m).lazyProduct(Z.cast<DoubleDouble>());
    R = turned;
  }
  return {};
}

// Between the fastest eigenvalues that are far from the next, if they all decay.
std::optional<Split> split(const Wide& A) {
  const Index n = A.rows();
  const Eigen::Matrix<DoubleDouble, Eigen::Dynamic, 1> D =
      linalg::balance(A.cast<double>()).cast<DoubleDouble>();
  const Wide balanced = D.cwiseInverse().asDiagonal() * A * D.asDiagonal();
  const OrderedSchur schur(balanced.cast<double>());
  if (!schur.found) return {};
  for (Index m = n - 1; m >= 0 && schur.decays(m); --m) {
    if (!(schur.modulus(m) > gap * (m > 0 ? schur.modulus(m - 1) : 0.0))) continue;
    const Matrix P = schur.projector(m);
    if (!(P.cwiseAbs().maxCoeff() < worst_projector)) continue;
    std::optional<Split> found = invariant(balanced, range(P, m), range(Matrix::Identity(n, n) - P, n - m));
    if (!found) continue;
    found->fast_rate = schur.modulus(m);
    found->Rs = D.asDiagonal() * found->Rs;
    found->Rf = D.asDiagonal() * found->Rf;
    found->Ls = found->Ls * D.cwiseInverse().asDiagonal();
    found->Lf = found->Lf * D.cwiseInverse().asDiagonal();
    return found;
  }
  return {};
}

double largest_modulus(const Matrix& A) {
  double most = 0.0;
  if (A.size() == 0) return most;
  const Eigen::ComplexSchur<Matrix> schur(A, false);
  for (Index k = 0; k < A.rows(); ++k) most = std::max(most, std::abs(schur.matrixT()(k, k)));
  return most;
}

// Columns of a followed by those of b: the subspace split off before, and the next one.
Wide beside(const Wide& a, const Wide& b) {
  Wide both(b.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

} // namespace

// The fastest modes are split off first, then the fastest of the remaining ones, whose rates are then no longer small
// differences of large ones.
List<SlowSubspace> slow_subspaces(const Matrix& A) {
  List<SlowSubspace> found;
  const Index n = A.rows();
  if (n == 0 || n > largest_size || !A.allFinite()) return found;
  Wide left = A.cast<DoubleDouble>(), Rs = Wide::Identity(n, n), Ls = Rs, Rf(n, 0), Lf(n, 0);
  Matrix Af_inverse(0, 0), rounding = Matrix::Zero(n, n);
  while (left.rows() > 0) {
    const std::optional<Split> next = split(left);
    if (!next) break;
    const Index f = Af_inverse.rows(), g = next->Af.rows();
    Rf = beside(Rf, Rs.lazyProduct(next->Rf));
    Lf = beside(Lf, next->Lf.lazyProduct(Ls).transpose());
    const Matrix moves = Matrix::Identity(g, g) + next->Af.cast<double>().cwiseAbs() / next->fast_rate;
    rounding += Rf.rightCols(g).cast<double>().cwiseAbs() * moves *
                Lf.rightCols(g).cast<double>().cwiseAbs().transpose();
    Rs = Rs.lazyProduct(next->Rs).eval();
    Ls = next->Ls.lazyProduct(Ls).eval();
    left = next->As;
    Af_inverse.conservativeResizeLike(Matrix::Zero(f + g, f + g));
    Af_inverse.bottomRightCorner(g, g) = inverse(next->Af).cast<double>();
    if (!Af_inverse.allFinite()) break;
    SlowSubspace s;
    s.As = left.cast<double>();
    s.Af_inverse = Af_inverse;
    s.Rs = Rs.cast<double>();
    s.Rf = Rf.cast<double>();
    s.Ls = Ls.cast<double>();
    s.Lf = Lf.cast<double>().transpose();
    s.rounding = rounding;
    s.slow_rate = largest_modulus(s.As), s.fast_rate = next->fast_rate;
    found.push_back(std::move(s));
  }
  std::reverse(found.begin(), found.end());
  return found;
}

} // namespace stickslip
