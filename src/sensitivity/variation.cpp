#include "sensitivity/variation.hpp"

#include "core/linalg.hpp"

#include <array>
#include <cmath>

namespace stickslip {

namespace {

constexpr int tangent_terms = 26; // of a series
constexpr double tangent_reach =
    2.0; // its length in units of the fastest thing: 2^26 / 26! is below the last digit
constexpr double guard_aside = 1e-5; // of the sizes of states: how far differences along them look

// A bound for the fastest rate of x' = A x that does not depend on the units of the states (balancing, Parlett and
// Reinsch 1969).
double fastest_rate(const Matrix& of) {
  Matrix A = of.cwiseAbs();
  for (int round = 0; round < 10; ++round)
    for (Index i = 0; i < A.rows(); ++i) {
      const double row = A.row(i).sum() - A(i, i), column = A.col(i).sum() - A(i, i);
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::sqrt(row / column);
      A.row(i) /= factor, A.col(i) *= factor;
    }
  return std::min(A.rowwise().sum().maxCoeff(), A.colwise().sum().maxCoeff());
}

} // namespace

const Variation::Affine& Variation::affine(const Regime& r) {
  const auto [at, fresh] = known.try_emplace(&r);
  Affine& out = at->second;
  if (!fresh) return out;
  out.regime = &r;
  out.pace = r.Ax.size() > 0 ? fastest_rate(r.Ax) : 0.0;
  for (const auto& p : by) {
    Affine::Change change;
    if (p->state < 0) {
      change.A = p->derivative([&](Replica& m) { return Matrix(m.regime(r.modes).Ax); });
      change.B = p->derivative([&](Replica& m) { return Matrix(m.regime(r.modes).As); });
      if (change.A.isZero(0.0)) change.A.resize(0, 0);
      if (change.B.isZero(0.0)) change.B.resize(0, 0);
    }
    out.by.push_back(std::move(change));
  }
  return out;
}

// Of the motion and of the signals at t.
double Variation::pace_of(const Regime& r, double t) {
  double pace = affine(r).pace;
  for (const Signal& s : machine.system().signals)
    if (!s.pieces.empty())
      for (const Harmonic& h : s.pieces[piece_at(s, t)].harmonics) pace = std::max(pace, std::abs(h.omega));
  return pace;
}

void Variation::advance(const Trajectory& run, const Segment& segment, double t0, double t1, Matrix& S) {
  if (!(t1 > t0) || by.empty()) return;
  if (machine.regime(segment.regime->modes).affine)
    advance_exactly(run, segment, t0, t1, S);
  else
    collocate(run, segment, t0, t1, S);
}

// Coefficients of powers of tau / h:  x_(k+1) = h / (k+1) (A x_k + B s_k),
//   S_(k+1) = h / (k+1) (A S_k + A' x_k + B' s_k + B s'_k).
void Variation::advance_exactly(const Trajectory& run, const Segment& segment, double t0, double t1,
                                Matrix& S) {
  const System& sys = machine.system();
  const Affine& regime = affine(machine.regime(segment.regime->modes));
  const Matrix &A = regime.regime->Ax, &B = regime.regime->As;
  const double parts = std::max(1.0, std::ceil(pace_of(*regime.regime, t0) * (t1 - t0) / tangent_reach));
  const double h = (t1 - t0) / parts;
  const Index np = by.size();
  Vector x(sys.nx);
  Matrix s(sys.ns(), tangent_terms), ds(sys.ns(), tangent_terms), now, next;
  std::array<double, tangent_terms> c{};
  for (double part = 0.0; part < parts; ++part) {
    const double t = t0 + part * h;
    run.state_at(segment, t, x.data());
    const auto expand = [&](const Signal& of, Matrix& into, Index i) {
      taylor(of, t, tangent_terms, c.data());
      double power = 1.0;
      for (int k = 0; k < tangent_terms; ++k, power *= h) into(i, k) = c[static_cast<std::size_t>(k)] * power;
    };
    for (Index i = 0; i < sys.ns(); ++i) expand(sys.signals[i], s, i);
    Matrix X(sys.nx, tangent_terms);
    X.col(0) = x;
    for (int k = 0; k + 1 < tangent_terms; ++k) X.col(k + 1) = h / (k + 1) * (A * X.col(k) + B * s.col(k));
    now = S;
    Matrix drive(sys.nx * tangent_terms, np); // what moves S, column by column of the parameters
    drive.setZero();
    for (Index j = 0; j < np; ++j) {
      Eigen::Map<Matrix> of(drive.col(j).data(), sys.nx, tangent_terms);
      if (regime.by[j].A.size() > 0) of += regime.by[j].A * X;
      if (regime.by[j].B.size() > 0) of += regime.by[j].B * s;
      for (const auto& [i, change] : by[j]->signals) {
        expand(change, ds, 0);
        of += B.col(i) * ds.row(0);
      }
    }
    for (int k = 0; k + 1 < tangent_terms; ++k) {
      next = A * now;
      next += drive.middleRows(k * sys.nx, sys.nx);
      next *= h / (k + 1);
      S += next;
      now.swap(next);
    }
  }
}

Matrix Variation::rates(const Modes& modes, double frame, double t, const Vector& x) {
  Matrix out = Matrix::Zero(x.size(), by.size());
  Vector xdot, force;
  for (Index j = 0; j < by.size(); ++j)
    if (by[j]->state < 0)
      out.col(j) = by[j]->derivative([&](Replica& m) {
        m.move(modes, frame, t, x.data(), xdot, force);
        return xdot;
      });
  return out;
}

namespace {

// The points of Radau IIA with five stages, and the weights a_ij = integral of the j-th Lagrange polynomial up to c_i:
// with V_ik = c_i^k,  A V = diag(c) V diag(1 / (k + 1)).
struct RadauPoints {
  static constexpr Index stages = 5;
  std::array<double, stages> at{0.05710419611451768, 0.27684301363812383, 0.5835904323689168,
                                0.8602401356562194, 1.0};
  Matrix a;

  RadauPoints() {
    Matrix V(stages, stages), integrals(stages, stages);
    for (Index i = 0; i < stages; ++i)
      for (Index k = 0; k < stages; ++k) {
        V(i, k) = std::pow(at[static_cast<std::size_t>(i)], k);
        integrals(i, k) = std::pow(at[static_cast<std::size_t>(i)], k + 1) / static_cast<double>(k + 1);
      }
    a = linalg::solve(V.transpose(), integrals.transpose()).transpose();
  }
};

const RadauPoints& radau() {
  static const RadauPoints points;
  return points;
}

} // namespace

// K_i = J_i (S + h sum_j a_ij K_j) + f_p,i at the points; S + h sum_j a_nj K_j behind them.
void Variation::collocate(const Trajectory& run, const Segment& segment, double t0, double t1, Matrix& S) {
  constexpr Index n = RadauPoints::stages;
  const Index nx = machine.system().nx;
  const double h = t1 - t0;
  const Modes& modes = segment.regime->modes;
  Matrix M = Matrix::Identity(n * nx, n * nx), right(n * nx, by.size()), J;
  Vector x(nx);
  for (Index i = 0; i < n; ++i) {
    const double t = i == n - 1 ? t1 : t0 + radau().at[static_cast<std::size_t>(i)] * h;
    run.state_at(segment, t, x.data());
    machine.slopes(modes, segment.t0, t, x.data(), J);
    for (Index j = 0; j < n; ++j) M.block(i * nx, j * nx, nx, nx) -= h * radau().a(i, j) * J;
    right.middleRows(i * nx, nx) = J * S + rates(modes, segment.t0, t, x);
  }
  const Matrix K = linalg::solve(M, right);
  for (Index j = 0; j < n; ++j) S += h * radau().a(n - 1, j) * K.middleRows(j * nx, nx);
}

GuardAnswer Variation::guard(const Modes& modes, Index k, double frame, double t, const Vector& x,
                             const Matrix& S, const Vector& moves, const State& sizes) {
  const Regime& r = machine.regime(modes);
  GuardAnswer out;
  out.size = machine.guard_size(modes, r.guards[k], t, x.data(), sizes.nominal);
  Vector xdot, force;
  machine.move(modes, frame, t, x.data(), xdot, force);
  const auto along = [&](const Vector& dx, double dt) {
    if (r.affine) return r.Gx.row(k).dot(dx) + r.Gs.row(k).dot(machine.signal_rates(frame, t)) * dt;
    return difference(modes, k, frame, t, x, dx, dt, sizes);
  };
  out.rate = along(xdot, 1.0);
  out.derivative.resize(by.size());
  for (Index j = 0; j < by.size(); ++j) {
    out.derivative(j) = along(S.col(j), moves(j));
    if (by[j]->state < 0)
      out.derivative(j) +=
          by[j]->derivative([&](Replica& m) { return m.guards(modes, frame, t, x.data())(k); });
  }
  return out;
}

// Of sixth order.
double Variation::difference(const Modes& modes, Index k, double frame, double t, const Vector& x,
                             const Vector& dx, double dt, const State& sizes) {
  double speed = std::abs(dt) / sizes.time_scale;
  for (Index i = 0; i < dx.size(); ++i)
    if (dx(i) != 0.0 && sizes.nominal(i) > 0.0) speed = std::max(speed, std::abs(dx(i)) / sizes.nominal(i));
  if (!(speed > 0.0)) return 0.0;
  const double step = guard_aside / speed;
  double sum = 0.0;
  const Stencil& central = central_stencil();
  for (Index i = 0; i < central.offsets.size(); ++i) {
    const double e = central.offsets[i] * step;
    const Vector there = x + e * dx;
    sum += central.weights[i] * machine.guards(modes, frame, t + e * dt, there.data())(k);
  }
  return sum / step;
}

} // namespace stickslip
