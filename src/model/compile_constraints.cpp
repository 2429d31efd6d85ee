// Constraints: dependent coordinates, and the reduced mass.
#include "core/error.hpp"
#include "core/linalg.hpp"
#include "core/list.hpp"
#include "core/number_text.hpp"
#include "core/tolerances.hpp"
#include "expression/text.hpp"
#include "model/draft.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

namespace stickslip {

namespace {

// Gauss-Jordan elimination of W' q = c with full pivoting over the given rows; numerical noise is set to zero. Rows
// left without a pivot are conditions on the values c.
class Elimination {
public:
  Elimination(const Constraints& c, const Matrix& mass)
      : constraints(c), rows(c.all.size(), mass.rows()), values(Matrix::Identity(c.all.size(), c.all.size())),
        unit(lightness(mass)), pivot(c.all.size(), -1) {
    for (Index k = 0; k < rows.rows(); ++k) {
      rows.row(k) = c.all[k].row.transpose();
      const double size = rows.row(k).cwiseAbs() * unit;
      if (size == 0.0) continue;                                    // a formula
      const double scale = std::exp2(-std::round(std::log2(size))); // exact: ratios stay what they are
      rows.row(k) *= scale;
      values.row(k) *= scale;
    }
  }

  void solve(const List<Index>& which) {
    for (;;) {
      double best = 0.0;
      Index row = -1, column = -1;
      for (const Index k : which)
        for (Index j = 0; j < rows.cols() && pivot[k] < 0; ++j)
          if (const double size = std::abs(rows(k, j)) * unit(j); size > best)
            best = size, row = k, column = j;
      if (row < 0) return;
      if (best < tolerance::matrix_zero)
        reject("on of '" + constraints.all[row].name + "'",
               "is nearly dependent on " + others(row) + " (relative difference " + number_text(best) +
                   "): make it exactly dependent or clearly independent");
      eliminate(row, column);
    }
  }

  Dependence found() const {
    Dependence d;
    List<Index> from;
    for (Index k = 0; k < pivot.size(); ++k)
      if (pivot[k] >= 0) d.which.push_back(pivot[k]), from.push_back(k);
    d.others = -rows(from, Eigen::all);
    for (Index k = 0; k < from.size(); ++k) d.others(k, d.which[k]) = 0.0;
    d.values = values(from, Eigen::all);
    return d;
  }

  // Combinations of values that must be zero: the given rows without a pivot.
  void each_leftover(const List<Index>& which, auto&& use) const {
    for (const Index k : which)
      if (pivot[k] < 0) use(k, values.row(k));
  }

  std::string others(Index row) const {
    std::string text;
    for (Index k = 0; k < values.cols(); ++k)
      if (k != row && values(row, k) != 0.0)
        text += (text.empty() ? "'" : ", '") + constraints.all[k].name + "'";
    return text;
  }

private:
  const Constraints& constraints;
  Matrix rows, values;
  Vector unit;
  List<Index> pivot; // of each row: its column; -1: none yet

  static void subtract(Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> a, double factor,
                       const Eigen::RowVectorXd& b) {
    for (Index j = 0; j < a.size(); ++j) {
      const double change = factor * b(j), size = std::abs(a(j)) + std::abs(change);
      a(j) -= change;
      if (std::abs(a(j)) <= tolerance::per_term * size) a(j) = 0.0;
    }
  }

  void eliminate(Index row, Index column) {
    pivot[row] = column;
    const double by = rows(row, column);
    rows.row(row) /= by;
    values.row(row) /= by;
    const Eigen::RowVectorXd own = rows.row(row), given = values.row(row);
    for (Index k = 0; k < rows.rows(); ++k) {
      const double factor = rows(k, column);
      if (k == row || factor == 0.0) continue;
      subtract(rows.row(k), factor, own);
      subtract(values.row(k), factor, given);
      rows(k, column) = 0.0;
    }
  }
};

// Size of the terms of a signal, with those of one frequency combined.
double size_of(const Signal& s) {
  double size = 0.0;
  for (const Piece& p : s.pieces) {
    for (const double c : p.c) size = std::max(size, std::abs(c));
    std::map<double, std::complex<double>> swings;
    for (const Harmonic& h : p.harmonics) swings[h.omega] += std::polar(h.amplitude, h.phase);
    for (const auto& [omega, swing] : swings) size = std::max(size, std::abs(swing));
  }
  return size;
}

void check_leftovers(const Draft& d, const Elimination& solved, const List<Index>& which,
                     const List<Index>& signals) {
  solved.each_leftover(which, [&](Index row, const auto& factors) {
    Signal sum = constant_signal(0.0);
    double size = 0.0;
    for (Index k = 0; k < factors.size(); ++k) {
      if (factors(k) == 0.0) continue;
      const Signal part = factors(k) * d.sys.signals[signals[k]];
      size = std::max(size, size_of(part));
      sum = sum + part;
    }
    if (size_of(sum) > tolerance::matrix_zero * size)
      reject("value of '" + d.sys.constraints.all[row].name + "'",
             "contradicts " + solved.others(row) +
                 ": its direction depends linearly on theirs, its value does not");
  });
}

void solve_rows(Draft& d) {
  Constraints& c = d.sys.constraints;
  List<Index> of_positions, of_velocities, values, rates;
  for (Index k = 0; k < c.all.size(); ++k) {
    (c.all[k].value >= 0 ? of_positions : of_velocities).push_back(k);
    values.push_back(c.all[k].value);
    rates.push_back(c.all[k].rate);
  }
  Elimination solved(c, d.sys.mass);
  solved.solve(of_positions);
  check_leftovers(d, solved, of_positions, values);
  c.positions = solved.found();
  solved.solve(of_velocities);
  check_leftovers(d, solved, of_velocities, rates);
  c.velocities = solved.found();
}

[[noreturn]] void refuse_massless(const Draft& d, Index coordinate) {
  reject("mass of '" + d.sys.coordinates[coordinate] + "'", 0.0,
         "> 0: no constraint ties the coordinate to one with a mass (a constraint by a formula does not, nor "
         "one "
         "in a machine whose mass matrix is a function)");
}

// Every motion that constraints admit moves a mass.
void refuse_untied(const Draft& d, const Matrix& Z, const Matrix& mass) {
  for (Index k = 0; k < mass.rows(); ++k) {
    if (mass(k, k) > 0.0) continue;
    Index which = 0;
    Z.col(k).cwiseAbs().maxCoeff(&which);
    refuse_massless(d, which);
  }
}

// Z and B of q' = Z u + B c'.
void find_motions(Draft& d, const Dependence& of) {
  const Index n = d.sys.n_coordinates, held = of.which.size();
  Matrix all = Matrix::Identity(n, n);
  d.unprescribed.resize(n, n - held);
  d.prescribed = Matrix::Zero(n, d.sys.constraints.all.size());
  for (Index k = 0; k < held; ++k) {
    all.row(of.which[k]) = of.others.row(k);
    d.prescribed.row(of.which[k]) = of.values.row(k);
  }
  for (Index j = 0, free = 0; j < n; ++j)
    if (std::find(of.which.begin(), of.which.end(), j) == of.which.end())
      d.unprescribed.col(free++) = all.col(j);
}

// The reduced mass, and the contributions of the right sides.
void reduce_mass(Draft& d) {
  Constraints& c = d.sys.constraints;
  const Matrix& M = d.sys.mass;
  const Index n = M.rows(), held = c.velocities.which.size();
  find_motions(d, c.velocities);
  const Matrix &Z = d.unprescribed, &B = d.prescribed;
  const Matrix mass = Z.transpose() * M * Z;
  refuse_untied(d, Z, mass);
  d.free_motions = Z;
  d.free_inverse = mass.isDiagonal(0.0) ? Matrix(mass.diagonal().cwiseInverse().asDiagonal())
                                        : linalg::Cholesky(mass).solve(Matrix::Identity(n - held, n - held));
  d.inverse_mass = c.inverse_mass = Z * d.free_inverse * Z.transpose();
  c.prescribed = B - Z * (d.free_inverse * (Z.transpose() * (M * B)));
}

// lambda of W lambda = r, scaled by the impulse that moves its own row by one.
void solve_forces(Draft& d) {
  Constraints& c = d.sys.constraints;
  Matrix M = d.sys.mass;
  const Index n = M.rows(), m = c.all.size(), rank = c.velocities.which.size();
  Matrix W(n, m);
  for (Index k = 0; k < m; ++k) W.col(k) = c.all[k].row;
  // With the singular mass of coordinates without mass M + W W' has the same forces, as W' q'' is prescribed.
  if (massless(M).any())
    M += M.diagonal().maxCoeff() * W * W.colwise().squaredNorm().cwiseInverse().asDiagonal() * W.transpose();
  const Matrix half = M.isDiagonal(0.0)
                          ? Matrix(M.diagonal().cwiseSqrt().cwiseInverse().asDiagonal())
                          : linalg::solve(linalg::Cholesky(M).L, Matrix::Identity(n, n)); // L^-1
  const Matrix weighed = half * W;
  const Vector unit = weighed.colwise().norm().cwiseInverse();
  const linalg::Svd svd(weighed * unit.asDiagonal());
  c.forces = -(unit.asDiagonal() * svd.pseudo_inverse(rank) * half);
  for (Index k = 0; k < m; ++k)
    c.all[k].unique = m == rank || svd.V.rightCols(m - rank).row(k).norm() <= tolerance::matrix_zero;
}

// All of these follow the state (dynamics/tangent.hpp).
void leave_open(Draft& d) {
  Constraints& c = d.sys.constraints;
  const Index n = d.sys.n_coordinates, m = c.all.size();
  c.positions.others = c.velocities.others = Matrix::Zero(0, n);
  c.positions.values = c.velocities.values = Matrix::Zero(0, m);
  c.prescribed = Matrix::Zero(n, m);
  c.forces = Matrix::Zero(m, n);
  c.inverse_mass = d.inverse_mass;
  List<Index> given; // no formulas
  for (Index k = 0; k < m; ++k)
    if (!d.all<ConstraintElement>()[k]->curved()) given.push_back(k);
  if (given.empty()) return;
  Elimination solved(c, Matrix::Identity(n, n));
  solved.solve(given);
  find_motions(d, solved.found());
}

} // namespace

void declare_constraints(Draft& d) {
  System& sys = d.sys;
  for (const ConstraintElement* e : d.all<ConstraintElement>()) {
    Constraint c;
    c.name = e->name;
    c.text = e->curved() ? text(e->on_expression, e->on_expression.outputs.front()) : text(e->on);
    c.row = d.direction(e->on);
    const bool of_position = e->level == Level::position;
    const auto signal = [&](const Signal& given) {
      return e->curved() ? d.add_own_signal() : d.add_signal(given);
    };
    if (of_position) c.value = signal(e->value);
    c.rate = of_position ? signal(differentiate(e->value)) : d.add_signal(e->value);
    c.acceleration = signal(differentiate(sys.signals[c.rate]));
    sys.constraints.all.push_back(std::move(c));
  }
  const bool solved = !d.all<ConstraintElement>().empty() && !d.moving_inertia();
  if (Index which = 0; !solved && massless(sys.mass).maxCoeff(&which)) refuse_massless(d, which);
  if (d.all<ConstraintElement>().empty()) return;
  if (!solved) return leave_open(d);
  solve_rows(d);
  reduce_mass(d);
  solve_forces(d);
}

} // namespace stickslip
