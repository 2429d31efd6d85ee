#include "sensitivity/variation.hpp"

#include "core/linalg.hpp"

#include <array>
#include <cmath>

namespace stickslip {

namespace {

constexpr int terms = 26;      // of a series
constexpr double reach = 2.0;  // its length in units of the fastest thing: 2^26 / 26! is below the last digit
constexpr double aside = 1e-5; // of the sizes of states: how far differences along them look
constexpr double some_speed = 1e-300;

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
  double pace = regime.pace;
  for (const Signal& s : sys.signals)
    if (!s.pieces.empty())
      for (const Harmonic& h : s.pieces[piece_at(s, t0)].harmonics) pace = std::max(pace, std::abs(h.omega));
  const double parts = std::max(1.0, std::ceil(pace * (t1 - t0) / reach));
  const double h = (t1 - t0) / parts;
  const Index np = by.size();
  Vector x(sys.nx);
  Matrix s(sys.ns(), terms), ds(sys.ns(), terms), now, next;
  std::array<double, terms> c{};
  for (double part = 0.0; part < parts; ++part) {
    const double t = t0 + part * h;
    run.state_at(segment, t, x.data());
    const auto expand = [&](const Signal& of, Matrix& into, Index i) {
      taylor(of, t, terms, c.data());
      double power = 1.0;
      for (int k = 0; k < terms; ++k, power *= h) into(i, k) = c[static_cast<std::size_t>(k)] * power;
    };
    for (Index i = 0; i < sys.ns(); ++i) expand(sys.signals[i], s, i);
    Matrix X(sys.nx, terms);
    X.col(0) = x;
    for (int k = 0; k + 1 < terms; ++k) X.col(k + 1) = h / (k + 1) * (A * X.col(k) + B * s.col(k));
    now = S;
    Matrix drive(sys.nx * terms, np); // what moves S, column by column of the parameters
    drive.setZero();
    for (Index j = 0; j < np; ++j) {
      Eigen::Map<Matrix> of(drive.col(j).data(), sys.nx, terms);
      if (regime.by[j].A.size() > 0) of += regime.by[j].A * X;
      if (regime.by[j].B.size() > 0) of += regime.by[j].B * s;
      for (const auto& [i, change] : by[j]->signals) {
        expand(change, ds, 0);
        of += B.col(i) * ds.row(0);
      }
    }
    for (int k = 0; k + 1 < terms; ++k) {
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

// K_i = J_i (S + h sum_j a_ij K_j) + f_p,i at the three points; S + h sum_j b_j K_j behind them.
void Variation::collocate(const Trajectory& run, const Segment& segment, double t0, double t1, Matrix& S) {
  static const double r = std::sqrt(6.0);
  static const std::array<double, 3> node{(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0};
  static const std::array<std::array<double, 3>, 3> a{
      {{(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0},
       {(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0},
       {(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0}}};
  const Index nx = machine.system().nx;
  const double h = t1 - t0;
  const Modes& modes = segment.regime->modes;
  Matrix M = Matrix::Identity(3 * nx, 3 * nx), right(3 * nx, by.size()), J;
  Vector x(nx);
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = i == 2 ? t1 : t0 + node[i] * h;
    const Index row = static_cast<Index>(i) * nx;
    run.state_at(segment, t, x.data());
    machine.slopes(modes, t0, t, x.data(), J);
    for (std::size_t j = 0; j < 3; ++j) M.block(row, static_cast<Index>(j) * nx, nx, nx) -= h * a[i][j] * J;
    right.middleRows(row, nx) = J * S + rates(modes, t0, t, x);
  }
  const Matrix K = linalg::solve(M, right);
  for (std::size_t j = 0; j < 3; ++j) S += h * a[2][j] * K.middleRows(static_cast<Index>(j) * nx, nx);
}

GuardAnswer Variation::guard(const Modes& modes, Index k, double frame, double t, const Vector& x,
                             const Matrix& S, const Vector& nominal, double time_scale) {
  const Regime& r = machine.regime(modes);
  GuardAnswer out;
  out.size = machine.guard_size(modes, r.guards[k], t, x.data(), nominal);
  Vector xdot, force;
  machine.move(modes, frame, t, x.data(), xdot, force);
  out.derivative = Vector::Zero(by.size());
  const Vector s = machine.signals(frame, t);
  if (r.affine) {
    const Eigen::RowVectorXd gx = r.Gx.row(k), gs = r.Gs.row(k);
    out.value = gx.dot(x) + gs.dot(s);
    out.rate = gx.dot(xdot) + gs.dot(machine.signal_rates(frame, t));
    out.derivative = (gx * S).transpose();
    for (Index j = 0; j < by.size(); ++j) {
      if (by[j]->state >= 0) continue;
      out.derivative(j) += by[j]->derivative([&](Replica& m) {
        const Regime& there = m.regime(modes);
        return there.Gx.row(k).dot(x) + there.Gs.row(k).dot(m.signals(frame, t));
      });
    }
    return out;
  }
  const auto along = [&](const Vector& dx, double dt) { // by a difference of sixth order
    const double speed = std::max(
        {dx.cwiseAbs().cwiseQuotient(nominal.cwiseMax(some_speed)).maxCoeff(), std::abs(dt) / time_scale});
    if (!(speed > 0.0) || !std::isfinite(speed)) return 0.0;
    const double step = aside / speed;
    double sum = 0.0;
    const Stencil& central = central_stencil();
    for (Index i = 0; i < central.offsets.size(); ++i) {
      const double e = central.offsets[i] * step;
      sum += central.weights[i] * machine.guards(modes, frame, t + e * dt, (x + e * dx).eval().data())(k);
    }
    return sum / step;
  };
  out.value = machine.guards(modes, frame, t, x.data())(k);
  out.rate = along(xdot, 1.0);
  for (Index j = 0; j < by.size(); ++j) {
    out.derivative(j) = along(S.col(j), 0.0);
    if (by[j]->state < 0)
      out.derivative(j) +=
          by[j]->derivative([&](Replica& m) { return m.guards(modes, frame, t, x.data())(k); });
  }
  return out;
}

} // namespace stickslip
