// Explicit pair and Rosenbrock method: orders, order conditions, stability.
#include "check.hpp"

#include "core/dop853.hpp"
#include "core/dopri5.hpp"
#include "core/linalg.hpp"
#include "core/polynomial.hpp"
#include "core/rosenbrock.hpp"

#include <algorithm>
#include <vector>

using namespace stickslip;

namespace {

// A limit cycle that is run through at a varying rate, x = (cos p, sin p), p = t + sin(t) / 2: not linear, not
// autonomous, and known.
void cycle(double t, const double* x, double* dx) {
  const double rate = 1.0 + 0.5 * std::cos(t), pull = 1.0 - x[0] * x[0] - x[1] * x[1];
  dx[0] = -rate * x[1] + pull * x[0];
  dx[1] = rate * x[0] + pull * x[1];
}

Vector truth(double t) {
  const double p = t + 0.5 * std::sin(t);
  return (Vector(2) << std::cos(p), std::sin(p)).finished();
}

struct Attempt {
  Vector x1, error, residual;
  Matrix C;
};

Attempt explicit_step(double t, const Vector& x, double h) {
  Dopri5Workspace w(2);
  Vector k1(2);
  cycle(t, x.data(), k1.data());
  dopri5_attempt(cycle, t, x.data(), k1.data(), h, w);
  Matrix C(2, dopri5_dense_columns);
  dopri5_dense(x.data(), h, w, C);
  return {w.x1, w.error, {}, C};
}

Attempt fine_step(double t, const Vector& x, double h) {
  Dop853Workspace w(2);
  Vector k1(2);
  cycle(t, x.data(), k1.data());
  dop853_attempt(cycle, t, x.data(), k1.data(), h, w);
  Matrix C(2, dop853_dense_columns);
  dop853_dense(cycle, t, x.data(), h, w, C);
  return {w.x1, w.error, w.rough, C};
}

template <Index N = 0, class F>
Attempt rosenbrock(F&& f, const Matrix& J, const Vector& ft, double t, const Vector& x, double h) {
  RosenbrockWorkspace w(x.size());
  Vector f0(x.size());
  f(t, x.data(), f0.data());
  check::that(
      rosenbrock_attempt<N>(f, t, x.data(), f0.data(), J.data(), ft.size() ? ft.data() : nullptr, h, w));
  Matrix C(x.size(), rosenbrock_dense_columns);
  rosenbrock_dense(x.data(), w, C);
  rosenbrock_residual<N>(f, t, h, C, w);
  return {w.x1, w.error, w.residual, C};
}

Attempt stiff_step(double t, const Vector& x, double h) {
  const double rate = 1.0 + 0.5 * std::cos(t), slope = -0.5 * std::sin(t), a = x(0), b = x(1);
  Matrix J(2, 2);
  J << 1 - 3 * a * a - b * b, -rate - 2 * a * b, rate - 2 * a * b, 1 - a * a - 3 * b * b;
  return rosenbrock(cycle, J, (Vector(2) << -slope * b, slope * a).finished(), t, x, h);
}

using Method = Attempt (*)(double, const Vector&, double);

Vector dense(const Attempt& a, double theta) {
  Vector x(a.C.rows());
  polynomial::values(a.C.data(), a.C.rows(), a.C.cols(), theta, x.data());
  return x;
}

double size_of(const Vector& v) {
  return v.cwiseAbs().maxCoeff();
}

// Worst errors of steps and of dense output over [0, 4] in equal steps.
std::pair<double, double> march(Method step, int count) {
  const double h = 4.0 / count;
  Vector x = truth(0.0);
  double nodes = 0.0, inside = 0.0;
  for (int i = 0; i < count; ++i) {
    const Attempt a = step(i * h, x, h);
    x = a.x1;
    nodes = std::max(nodes, size_of(x - truth((i + 1) * h)));
    for (const double theta : {0.2, 0.5, 0.85})
      inside = std::max(inside, size_of(dense(a, theta) - truth((i + theta) * h)));
  }
  return {nodes, inside};
}

void order_between(double coarse, double fine, double least, double most,
                   const check::Place& place = check::Place::current()) {
  const double order = std::log2(coarse / fine);
  if (!(order > least && order < most)) check::report(place, "the order is " + check::text(order));
}

} // namespace

TEST(steppers, measured_order) {
  // Order 5 of the steps; the local error of dense output has order 5, so it keeps up.
  for (const Method step : {&explicit_step, &stiff_step}) {
    const auto [nodes, inside] = march(step, 80);
    const auto [fine_nodes, fine_inside] = march(step, 160);
    order_between(nodes, fine_nodes, 4.6, 5.8);
    order_between(inside, fine_inside, 4.6, 5.8);
    check::below(fine_nodes, 1e-6);
  }
}

TEST(steppers, the_pair_of_order_eight) {
  const auto [nodes, inside] = march(&fine_step, 20);
  const auto [fine_nodes, fine_inside] = march(&fine_step, 40);
  order_between(nodes, fine_nodes, 7.4, 9.0);
  order_between(inside, fine_inside, 7.2, 8.8);
  check::below(fine_nodes, 1e-10);
  const auto worst = [](double h, Vector Attempt::* part) {
    double most = 0.0;
    for (double t = 0.0; t < 6.0; t += 0.1) most = std::max(most, size_of(fine_step(t, truth(t), h).*part));
    return most;
  };
  order_between(worst(0.08, &Attempt::error), worst(0.04, &Attempt::error), 5.5, 6.5);
  order_between(worst(0.08, &Attempt::residual), worst(0.04, &Attempt::residual), 3.5, 4.5);
  check::close(dop853_error(1e-6, 0.0), 1e-6, 1e-20);
  check::close(dop853_error(1e-6, 1e-2), 1e-9, 1e-15);
}

TEST(steppers, error_estimate_and_residual_have_order_five) {
  // The worst of many starting points: at some the leading term of the error vanishes.
  const auto worst = [](Method step, double h, Vector Attempt::* part) {
    double most = 0.0;
    for (double t = 0.0; t < 6.0; t += 0.1) most = std::max(most, size_of(step(t, truth(t), h).*part));
    return most;
  };
  for (const Method step : {&explicit_step, &stiff_step})
    order_between(worst(step, 0.02, &Attempt::error), worst(step, 0.01, &Attempt::error), 4.7, 5.3);
  order_between(worst(&stiff_step, 0.02, &Attempt::residual), worst(&stiff_step, 0.01, &Attempt::residual),
                4.5, 5.5);
}

TEST(steppers, dense_output_meets_the_ends_and_for_the_pair_their_slopes) {
  const double h = 0.1;
  const Vector x = truth(0.3);
  for (const Method step : {&explicit_step, &fine_step, &stiff_step}) {
    const Attempt a = step(0.3, x, h);
    check::all_close(dense(a, 0.0), x, 0.0);
    check::all_close(dense(a, 1.0), a.x1, 1e-15);
  }
  for (const Method step : {&explicit_step, &fine_step}) {
    const Attempt a = step(0.3, x, h);
    for (const double theta : {0.0, 1.0}) {
      Vector slope(2), expected(2);
      for (Index i = 0; i < 2; ++i) {
        const Vector row = a.C.row(i);
        slope(i) = polynomial::value_slope(row.data(), row.size() - 1, theta).slope / h;
      }
      cycle(0.3 + theta * h, (theta == 0.0 ? x : a.x1).data(), expected.data());
      check::all_close(slope, expected, 1e-13);
    }
  }
}

// Order conditions of Rosenbrock methods: Hairer and Wanner, Solving ODEs II, theorem IV.7.4. A node with one
// branch has the weights alpha + gamma, any other one alpha.
namespace {

struct Tree {
  std::vector<Tree> branches;

  int size() const {
    int n = 1;
    for (const Tree& b : branches) n += b.size();
    return n;
  }
  double density() const {
    double product = size();
    for (const Tree& b : branches) product *= b.density();
    return product;
  }
};

// Every tree with `nodes` nodes; branches do not grow along the list of all smaller trees, so each comes once.
std::vector<Tree> trees(int nodes) {
  std::vector<Tree> smaller;
  for (int n = 1; n < nodes; ++n)
    for (Tree& t : trees(n)) smaller.push_back(std::move(t));
  std::vector<Tree> found;
  const auto grow = [&](const auto& self, const Tree& root, int left, std::size_t from) -> void {
    if (left == 0) found.push_back(root);
    for (std::size_t k = from; k < smaller.size(); ++k)
      if (smaller[k].size() <= left) {
        Tree more = root;
        more.branches.push_back(smaller[k]);
        self(self, more, left - smaller[k].size(), k);
      }
  };
  grow(grow, Tree{}, nodes - 1, 0);
  return found;
}

using Square = Eigen::Matrix<double, 8, 8>;
using Column = Eigen::Matrix<double, 8, 1>;

// Rodas5P in its untransformed form.
struct Tableau {
  Square alpha, gamma;
  Column b;
  Eigen::Matrix<double, 3, 8> H;

  Tableau() {
    Square a = Square::Zero(), C = Square::Zero();
    Eigen::Matrix<double, 3, 8> raw_H;
    for (Index i = 0; i < 8; ++i)
      for (Index j = 0; j < 8; ++j) {
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
        a(i, j) = rodas5p::a[std::min<std::size_t>(row, 5)][column];
        C(i, j) = rodas5p::C[row][column];
        if (i < 3) raw_H(i, j) = rodas5p::H[row][column];
      }
    a(6, 5) = a(7, 5) = a(7, 6) = 1.0;
    gamma = linalg::inverse(Matrix(Square::Identity() / rodas5p::gamma - C));
    Column m = a.row(7).transpose();
    m(7) = 1.0;
    alpha = a * gamma;
    b = gamma.transpose() * m;
    H = raw_H * gamma;
  }

  Column elementary(const Tree& tree) const {
    if (tree.branches.size() == 1) return (alpha + gamma) * elementary(tree.branches[0]);
    Column product = Column::Ones();
    for (const Tree& branch : tree.branches) product = product.cwiseProduct(alpha * elementary(branch));
    return product;
  }
};

} // namespace

TEST(steppers, number_of_trees) {
  const std::size_t expected[] = {1, 1, 2, 4, 9};
  for (int n = 1; n <= 5; ++n) check::that(trees(n).size() == expected[n - 1]);
}

TEST(steppers, order_conditions_of_rodas5p) {
  const Tableau t;
  const Column embedded = t.b - t.gamma.row(7).transpose(); // the error estimate is the last stage
  for (int order = 1; order <= 5; ++order)
    for (const Tree& tree : trees(order)) {
      const Column phi = t.elementary(tree);
      check::close(t.b.dot(phi), 1.0 / tree.density(), 2e-13);
      if (order > 4) continue;
      check::close(embedded.dot(phi), 1.0 / tree.density(), 2e-13);
      for (double theta = 0.0; theta <= 1.0; theta += 0.2) {
        const Column weights =
            theta *
            (t.b + (1 - theta) * (t.H.row(0) + theta * (t.H.row(1) + theta * t.H.row(2))).transpose());
        check::close(weights.dot(phi), std::pow(theta, order) / tree.density(), 3e-13);
      }
    }
  Tree tall;
  for (int k = 0; k < 4; ++k) tall = Tree{{tall}};
  check::that(std::abs(embedded.dot(t.elementary(tall)) - 1.0 / 120.0) > 1e-6); // and no more than order 4
  for (Index i = 0; i < 8; ++i) {
    check::close(t.alpha.row(i).sum(), rodas5p::c[static_cast<std::size_t>(i)], 3e-14);
    check::close(t.gamma.row(i).sum(), rodas5p::d[static_cast<std::size_t>(i)], 3e-14);
  }
}

TEST(steppers, rodas5p_is_l_stable) {
  // Through the code: a decay of rate 1e8 is gone after one step of 1; turning at any rate does not grow.
  const auto decay = [](double, const double* x, double* dx) { dx[0] = -1e8 * x[0]; };
  check::below(std::abs(rosenbrock(decay, Matrix::Constant(1, 1, -1e8), {}, 0.0, Vector::Ones(1), 1.0).x1(0)),
               1e-6);
  double most = 0.0;
  for (double e = -3.0; e < 6.0; e += 0.005) {
    const double w = std::pow(10.0, e);
    const auto turn = [w](double, const double* x, double* dx) { dx[0] = w * x[1], dx[1] = -w * x[0]; };
    const Matrix J = (Matrix(2, 2) << 0.0, w, -w, 0.0).finished();
    most = std::max(most, rosenbrock(turn, J, {}, 0.0, Vector::Unit(2, 0), 1.0).x1.norm());
  }
  check::that(most <= 1.0 + 1e-12);
}

TEST(steppers, stiff_and_not_autonomous) {
  // Prothero and Robinson: x' = -L (x - cos t) - sin t with L = 1e6 from the exact x = cos t.
  const double L = 1e6, h = 0.1;
  const auto f = [L](double t, const double* x, double* dx) { *dx = -L * (*x - std::cos(t)) - std::sin(t); };
  Vector x = Vector::Ones(1);
  for (int i = 0; i < 20; ++i) {
    const double t = i * h;
    x = rosenbrock(f, Matrix::Constant(1, 1, -L), Vector::Constant(1, -L * std::sin(t) - std::cos(t)), t, x,
                   h)
            .x1;
    check::close(x(0), std::cos(t + h), 1e-9);
  }
}

TEST(steppers, the_residual_sees_what_the_stages_step_over) {
  // x' = a narrow peak between the stages: the error estimate is blind to it.
  const auto peak = [](double t, const double*, double* dx) {
    const double u = (t - 0.5) / 0.03;
    *dx = std::exp(-u * u);
  };
  const Attempt a = rosenbrock(peak, Matrix::Zero(1, 1), Vector::Zero(1), 0.0, Vector::Zero(1), 1.0);
  const double truth_at_end = 0.03 * std::sqrt(3.14159265358979323846);
  check::that(std::abs(a.x1(0) - truth_at_end) > 0.9 * truth_at_end);
  check::that(std::abs(a.error(0)) < 0.1 * truth_at_end && std::abs(a.residual(0)) > 0.3);
}

TEST(steppers, fixed_and_free_size_agree) {
  check::Random random(7);
  const Matrix A = random.matrix(Matrix(3, 3));
  const Vector x = random.matrix(Vector(3));
  const auto f = [&A](double, const double* y, double* dy) {
    const Vector z = A * Eigen::Map<const Vector>(y, 3);
    for (Index i = 0; i < 3; ++i) dy[i] = std::tanh(z(i));
  };
  const Attempt fixed = rosenbrock<3>(f, A, {}, 0.0, x, 0.1), free = rosenbrock(f, A, {}, 0.0, x, 0.1);
  check::all_close(fixed.x1, free.x1, 1e-14);
  check::all_close(fixed.C, free.C, 1e-13);
}
