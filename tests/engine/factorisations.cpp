// Factorisations: each answer is put back into what it solves.
#include "check.hpp"

#include "core/linalg.hpp"
#include "core/rank_factors.hpp"
#include "core/slow_subspace.hpp"
#include "core/small_lu.hpp"

using namespace stickslip;

namespace {

Matrix identity(Index n) {
  return Matrix::Identity(n, n);
}

Matrix definite(Index n, check::Random& random) {
  const Matrix root = random.matrix(Matrix(n, n));
  return root * root.transpose() + 0.1 * identity(n);
}

} // namespace

TEST(factorisations, small_lu) {
  check::Random random(1);
  for (const Index n : {1, 2, 3, 5, 12}) {
    Matrix a = random.matrix(Matrix(n, n));
    a(0, 0) = n > 1 ? 0.0 : 2.0;
    const Vector x = random.matrix(Vector(n)), b = a * x;
    Matrix factors = a;
    Eigen::VectorXi order(n);
    Vector got(n);
    check::that(lu_factor(factors.data(), n, order.data()));
    lu_solve(factors.data(), n, order.data(), b.data(), got.data());
    check::all_close(a * got, b, 1e-14 * static_cast<double>(n));
  }
  Matrix ones = Matrix::Ones(2, 2);
  Eigen::VectorXi order(2);
  check::that(!lu_factor(ones.data(), 2, order.data()));
  long double wide[] = {3.0L, 1.0L, 1.0L, 2.0L}, right[] = {5.0L, 5.0L}, answer[2];
  int of_two[2];
  check::that(lu_factor<2>(wide, 2, of_two));
  lu_solve<2>(wide, 2, of_two, right, answer);
  check::that(std::abs(answer[0] - 1.0L) < 1e-18L && std::abs(answer[1] - 2.0L) < 1e-18L);
}

TEST(factorisations, solutions_and_inverses) {
  check::Random random(2);
  for (const Index n : {1, 2, 4, 9, 30}) {
    const Matrix A = random.matrix(Matrix(n, n)) + 3.0 * identity(n), B = random.matrix(Matrix(n, 3));
    check::all_close(A * linalg::solve(A, B), B, 1e-14 * static_cast<double>(n));
    check::all_close(A * linalg::inverse(A), identity(n), 1e-14 * static_cast<double>(n));
    const Matrix S = definite(n, random);
    const linalg::Cholesky factor(S);
    check::that(factor.definite);
    check::all_close(factor.L * factor.L.transpose(), S, 1e-14 * static_cast<double>(n));
    check::all_close(S * factor.solve(B), B, 1e-12 * static_cast<double>(n));
  }
  check::that(!linalg::Cholesky((Matrix(2, 2) << 1.0, 2.0, 2.0, 1.0).finished()).definite);
}

TEST(factorisations, singular_values) {
  check::Random random(3);
  const std::vector<std::pair<Index, Index>> sizes = {{1, 1}, {5, 3}, {3, 5}, {6, 6}, {4, 9}, {9, 4}};
  for (const auto& [m, n] : sizes) {
    const Matrix A = random.matrix(Matrix(m, 2)) * random.matrix(Matrix(2, n)); // of rank 2 at most
    const linalg::Svd svd(A);
    check::all_close(svd.U.transpose() * svd.U, identity(m), 1e-14);
    check::all_close(svd.V.transpose() * svd.V, identity(n), 1e-14);
    Matrix middle = Matrix::Zero(m, n);
    middle.diagonal() = svd.values;
    check::all_close(svd.U * middle * svd.V.transpose(), A, 1e-14);
    check::that(svd.rank(1e-10) == std::min<Index>({m, n, 2}));
    check::that(m != n || linalg::full_rank(A, 1e-10) == (m <= 2));
    // The four conditions of Penrose.
    const Matrix P = linalg::pseudo_inverse(A, 1e-10);
    check::all_close(A * P * A, A, 1e-13);
    check::all_close(P * A * P, P, 1e-12);
    check::all_close((A * P).transpose(), A * P, 1e-13);
    check::all_close((P * A).transpose(), P * A, 1e-13);
  }
  check::that(linalg::Svd(Matrix::Zero(2, 2)).rank(1e-10) == 0);
}

TEST(factorisations, rank_by_elimination_in_any_units) {
  check::Random random(6);
  for (const Index n : {2, 5, 12})
    for (Index rank = 0; rank <= n; rank += 1 + n / 3) {
      Vector unit(n);
      for (Index i = 0; i < n; ++i) unit(i) = std::pow(10.0, random.uniform(-3.0, 3.0));
      const Matrix plain = random.matrix(Matrix(n, rank)) * random.matrix(Matrix(rank, n)),
                   A = unit.asDiagonal() * plain;
      linalg::RankFactors factors;
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(factors.start(n), n,
                                                                                         n) = A;
      factors.factor(n, 1e-10);
      check::that(factors.size() == n && factors.rank() == rank);
      Matrix right, left;
      factors.null(right), factors.left_null(left);
      linalg::orthonormalise(right), linalg::orthonormalise(left);
      check::all_close(right.transpose() * right, identity(n - rank), 1e-15 * static_cast<double>(n));
      check::all_close(left.transpose() * left, identity(n - rank), 1e-15 * static_cast<double>(n));
      const double size = A.cwiseAbs().maxCoeff();
      check::all_close(A * right, Matrix::Zero(n, n - rank), 1e-13 * size);
      check::all_close(left.transpose() * A, Matrix::Zero(n - rank, n), 1e-13 * size);
      const Vector demand = A * random.matrix(Vector(n));
      Vector b = demand, x(n);
      factors.solve(b.data(), x.data());
      check::all_close(A * x, demand, 1e-12 * size);
    }
}

TEST(factorisations, bases_and_pivots) {
  check::Random random(4);
  const Matrix A = random.matrix(Matrix(6, 3)), Q = linalg::orthonormal(A);
  check::all_close(Q.transpose() * Q, identity(3), 1e-14);
  check::all_close(Q * (Q.transpose() * A), A, 1e-14);
  const Matrix W = (Matrix(2, 4) << 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1e-3).finished();
  const std::vector<Index> order = linalg::pivot_order(W); // the longest, then the one that is left
  check::that(order.size() == 4 && order[0] == 3 && order[1] == 2);
}

TEST(factorisations, eigenvalues) {
  // A chain of n equal masses and springs between walls: 2 - 2 cos(k pi / (n + 1)).
  const Index n = 7;
  Matrix K = 2.0 * identity(n);
  K.diagonal(1).setConstant(-1.0), K.diagonal(-1).setConstant(-1.0);
  const Vector got = linalg::symmetric_eigenvalues(K);
  const double step = 3.14159265358979323846 / static_cast<double>(n + 1);
  for (Index k = 0; k < n; ++k)
    check::close(got(k), 2.0 - 2.0 * std::cos(static_cast<double>(k + 1) * step), 4e-15);
  check::close(linalg::spectral_radius((Matrix(2, 2) << 0.0, 1.0, -9.0, 0.0).finished()), 3.0, 1e-15);
}

TEST(factorisations, exponential) {
  const double w = 3.0, t = 0.7;
  const Matrix turn = linalg::exponential((Matrix(2, 2) << 0.0, w, -w, 0.0).finished() * t);
  check::all_close(
      turn, (Matrix(2, 2) << std::cos(w * t), std::sin(w * t), -std::sin(w * t), std::cos(w * t)).finished(),
      1e-15);
  const Matrix defective = linalg::exponential((Matrix(2, 2) << -1.0, 1.0, 0.0, -1.0).finished());
  check::all_close(defective, std::exp(-1.0) * (Matrix(2, 2) << 1.0, 1.0, 0.0, 1.0).finished(), 1e-15);
  // A vibration of 3 rad/s in micrometres and seconds beside one of 5 rad/s, an integrator, and a large held input.
  Matrix mixed = Matrix::Zero(6, 6);
  const double unit = 1e6, input = 1e9;
  mixed(0, 1) = w * unit, mixed(1, 0) = -w / unit, mixed(2, 3) = 5.0 / unit, mixed(3, 2) = -5.0 * unit;
  mixed(4, 0) = unit, mixed(1, 5) = input;
  const Matrix flow = linalg::exponential(mixed * t);
  const double s = std::sin(w * t), c = std::cos(w * t);
  check::close(flow(0, 1), unit * s, 1e-15 * unit);
  check::close(flow(1, 0), -s / unit, 1e-15 / unit);
  check::close(flow(2, 3), std::sin(5.0 * t) / unit, 1e-15 / unit);
  check::close(flow(4, 0), unit * s / w, 1e-15 * unit);
  check::close(flow(4, 1), unit * unit * (1.0 - c) / w, 1e-15 * unit * unit);
  check::close(flow(1, 5), input * s / w, 1e-15 * input);
  check::close(flow(0, 5), unit * input * (1.0 - c) / w, 1e-15 * unit * input);
  check::close(flow(4, 5), unit * unit * input * (w * t - s) / (w * w), 1e-15 * unit * unit * input);
  check::close(flow(5, 5), 1.0, 0.0);
}

TEST(factorisations, slow_and_fast_subspaces) {
  // Slow and fast blocks rebuild the matrix; a defective block and bad scaling included.
  check::Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const Index slow = 1 + trial % 3, fast = 1 + trial / 3 % 3, n = slow + fast;
    Matrix block = Matrix::Zero(n, n);
    block.topLeftCorner(slow, slow) = random.matrix(Matrix(slow, slow));
    block.bottomRightCorner(fast, fast).diagonal().setConstant(-1e6); // one eigenvalue, one eigenvector
    block.bottomRightCorner(fast, fast).diagonal(1).setConstant(-5e5);
    const Matrix V = linalg::orthonormal(random.matrix(Matrix(n, n))) + 0.3 * random.matrix(Matrix(n, n));
    Vector scale(n);
    for (Index i = 0; i < n; ++i) scale(i) = std::pow(10.0, random.uniform(-6.0, 6.0));
    const auto D = scale.asDiagonal();
    const auto back = scale.cwiseInverse().asDiagonal();
    const Matrix plain = V * block * linalg::inverse(V);
    const Vector spread = linalg::Svd(V).values;
    const double condition = spread(0) / spread(n - 1);
    if (condition > 100.0) continue;
    bool found = false;
    for (const SlowSubspace& s : slow_subspaces(D * plain * back)) {
      if (s.As.rows() != slow) continue;
      found = true;
      const Matrix Rs = back * s.Rs, Rf = back * s.Rf, Ls = s.Ls * D, Lf = s.Lf * D;
      check::all_close(Ls * Rs, identity(slow), 1e-12 * condition * condition);
      check::all_close(Lf * Rs, Matrix::Zero(fast, slow), 1e-12 * condition * condition);
      const Matrix whole = Rs * s.As * Ls + Rf * linalg::inverse(s.Af_inverse) * Lf;
      check::all_close(whole, plain, 1e-9 * condition * 1e6);
      check::close(s.slow_rate, linalg::spectral_radius(block.topLeftCorner(slow, slow)), 1e-5 * s.slow_rate);
      check::close(s.fast_rate, 1e6, 5e4);
    }
    check::that(found);
  }
}

TEST(factorisations, a_fast_mode_that_swings_has_no_settled_form) {
  Matrix A = Matrix::Zero(3, 3); // 1e4 rad/s, 0.1 1/s
  A.diagonal() << -1.0, -0.1, -0.1;
  A(1, 2) = 1e4, A(2, 1) = -1e4;
  check::that(slow_subspaces(A).empty());
}
