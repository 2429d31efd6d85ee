#include "linear/admitted_changes.hpp"

#include "core/list.hpp"
#include "sensitivity/neighbours.hpp"

#include <cmath>
#include <utility>

namespace stickslip {

namespace {

constexpr double follows_from_others = 1e-9; // of the length of a row

// Rows of constraints, closed contacts, then sticking elements, of one machine with the rows of one instant.
struct RowsHere {
  List<Vector> places, velocities;
  List<Index> displacements; // velocities, by number, that hold a displacement as well where they do not turn
  Vector residuals;          // values of `velocities`
};

Vector over_velocities(const System& sys, const Vector& row) {
  Vector all = Vector::Zero(sys.nx);
  all.segment(sys.n_coordinates, sys.n_coordinates) = row;
  return all;
}

// The same row over the positions.
Vector over_positions(const System& sys, const Vector& row) {
  Vector all = Vector::Zero(sys.nx);
  all.head(sys.n_coordinates) = row.segment(sys.n_coordinates, sys.n_coordinates);
  return all;
}

RowsHere rows_here(const System& sys, const Regime& r, const Vector& x, const Vector& s) {
  RowsHere out;
  List<double> residuals;
  const auto add = [&](const Vector& row, double residual) {
    out.velocities.push_back(row);
    residuals.push_back(residual);
  };
  for (const Constraint& c : sys.constraints.all) {
    const Vector row = over_velocities(sys, c.row);
    add(row, row.dot(x) - (c.rate >= 0 ? s(c.rate) : 0.0));
    if (c.value >= 0) out.places.push_back(over_positions(sys, row));
  }
  for (const Index j : r.closed) {
    const Contact& c = sys.contacts[j];
    if (c.of_velocity)
      out.displacements.push_back(out.velocities.size());
    else
      out.places.push_back(c.gap.x);
    add(c.rate.x, value(c.rate, x.data(), s.data()));
  }
  for (const Index i : r.sticking) {
    if (sys.n_coordinates > 0) out.displacements.push_back(out.velocities.size());
    add(sys.friction[i].velocity.x, relative_velocity(sys.friction[i], x.data(), s.data()));
  }
  out.residuals = Eigen::Map<const Vector>(residuals.data(), residuals.size());
  return out;
}

// Derivatives of the held velocities by the positions, where rows follow these.
Matrix turning_rows(const Regime& r, double t, const Vector& x, Tangent& at) {
  const Index n = at.system.n_coordinates;
  Matrix out;
  Vector s(at.system.ns());
  const Stencil& central = central_stencil();
  for (Index i = 0; i < n; ++i) {
    const double size = std::max(at.system.nominal(i), std::abs(x(i)));
    const double step = far_beside * (size > 0.0 ? size : 1.0);
    for (Index k = 0; k < central.offsets.size(); ++k) {
      Vector there = x;
      there(i) += central.offsets[k] * step;
      at.move_to(t, there.data(), r.modes.sides);
      signal_values(at.system, t, s.data());
      at.write(s.data());
      const Vector residuals = rows_here(at.system, r, there, s).residuals;
      if (out.size() == 0) out = Matrix::Zero(residuals.size(), x.size());
      out.col(i) += (central.weights[k] / step) * residuals;
    }
  }
  at.move_to(t, x.data(), r.modes.sides);
  return out;
}

Matrix stacked(const List<Vector>& rows, Index columns) {
  Matrix out(rows.size(), columns);
  for (Index k = 0; k < rows.size(); ++k) out.row(k) = rows[k].transpose();
  return out;
}

// Gauss-Jordan elimination with complete pivoting.
class RowElimination {
public:
  explicit RowElimination(Matrix of) : rows(std::move(of)), taken(static_cast<std::size_t>(rows.cols())) {
    for (Index i = 0; i < rows.rows(); ++i)
      if (const double length = rows.row(i).norm(); length > 0.0) rows.row(i) /= length;
  }

  // Determines states among columns [from, to) by the rows [first, last).
  void solve(Index first, Index last, Index from, Index to) {
    for (Index k = first; k < last; ++k) {
      Index row = -1, column = -1;
      double largest = follows_from_others;
      for (Index i = k; i < last; ++i)
        for (Index j = from; j < to; ++j)
          if (!taken[static_cast<std::size_t>(j)] && std::abs(rows(i, j)) > largest)
            largest = std::abs(rows(i, j)), row = i, column = j;
      if (row < 0) return;
      rows.row(k).swap(rows.row(row));
      rows.row(k) /= rows(k, column);
      for (Index i = 0; i < rows.rows(); ++i)
        if (i != k && rows(i, column) != 0.0) rows.row(i) -= rows(i, column) * rows.row(k).eval();
      taken[static_cast<std::size_t>(column)] = true;
      pivots.emplace_back(k, column);
    }
  }

  void drop(Index column) { taken[static_cast<std::size_t>(column)] = true; }

  Admitted result() const {
    Admitted out;
    for (Index j = 0; j < rows.cols(); ++j)
      if (!taken[static_cast<std::size_t>(j)]) out.free.push_back(j);
    out.all = Matrix::Zero(rows.cols(), out.free.size());
    for (Index k = 0; k < out.free.size(); ++k) {
      out.all(out.free[k], k) = 1.0;
      for (const auto& [row, column] : pivots) out.all(column, k) = -rows(row, out.free[k]);
    }
    return out;
  }

private:
  Matrix rows;
  std::vector<bool> taken;
  List<std::pair<Index, Index>> pivots;
};

} // namespace

HeldRows held_rows(const System& sys, const Regime& r, double t, const Vector& x, Tangent* at) {
  const System& here = at != nullptr ? at->system : sys;
  Vector s(sys.ns());
  if (at != nullptr) at->move_to(t, x.data(), r.modes.sides);
  signal_values(here, t, s.data());
  if (at != nullptr) at->write(s.data());
  RowsHere rows = rows_here(here, r, x, s);
  Matrix velocities = stacked(rows.velocities, sys.nx);
  if (at != nullptr && velocities.rows() > 0) {
    const Matrix turning = turning_rows(r, t, x, *at);
    for (const Index k : rows.displacements)
      if (turning.row(k).isZero(0.0)) rows.places.push_back(over_positions(sys, rows.velocities[k]));
    velocities += turning;
  } else {
    for (const Index k : rows.displacements) rows.places.push_back(over_positions(sys, rows.velocities[k]));
  }
  return {stacked(rows.places, sys.nx), velocities};
}

Admitted admitted(const System& sys, const HeldRows& held, const List<Index>& constant) {
  const Index places = held.places.rows(), count = places + held.velocities.rows(), n = sys.n_coordinates;
  Matrix rows(count, sys.nx);
  rows.topRows(places) = held.places;
  rows.bottomRows(count - places) = held.velocities;
  RowElimination elimination(std::move(rows));
  for (const Index j : constant) elimination.drop(j);
  elimination.solve(0, places, 0, n > 0 ? n : sys.nx);
  elimination.solve(places, count, n, n > 0 ? 2 * n : sys.nx);
  return elimination.result();
}

} // namespace stickslip
