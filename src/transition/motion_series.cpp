#include "transition/motion_series.hpp"

#include "core/tolerances.hpp"

#include <array>

namespace stickslip {

void expand_signals(const System& sys, double t, Matrix& signals) {
  signals.resize(sys.ns(), series_terms);
  std::array<double, series_terms> c{};
  for (Index i = 0; i < sys.ns(); ++i) {
    taylor(sys.signals[i], t, series_terms, c.data());
    signals.row(i) = Eigen::Map<const Eigen::RowVectorXd>(c.data(), series_terms);
  }
}

Vector known_size(const Vector& x, const Vector& nominal) {
  const auto size = x.array().abs();
  return (size > tolerance::rounding * nominal.array()).select(size, size / tolerance::rounding);
}

Vector rate_terms(const System& sys, const Regime& r, const Vector& x, const Vector& s, Vector& held) {
  Vector rate = r.linear->A.cwiseAbs() * x + r.linear->S.cwiseAbs() * s;
  if (sys.tangent)
    held = r.Lx.cwiseAbs() * x + r.Ls.cwiseAbs() * s;
  else
    held = r.L.terms * rate + r.L.by_signals * s;
  for (Index k = 0; k < held.size(); ++k) rate += held(k) * holding_effect(sys, r, k).cwiseAbs();
  return r.affine ? Vector(rate.cwiseMax(r.Ax.cwiseAbs() * x + r.As.cwiseAbs() * s)) : rate;
}

void expand_affine(const Matrix& A, const Matrix& S, const Vector& x, const Matrix& signals, Matrix& states) {
  states.resize(x.size(), series_terms);
  states.col(0) = x;
  for (int k = 0; k + 1 < series_terms; ++k)
    states.col(k + 1) = (A * states.col(k) + S * signals.col(k)) / (k + 1);
}

void expand_motion(const System& sys, const Regime& r, double t, const Vector& x, const Matrix& signals,
                   Scratch& w, Matrix& states) {
  if (r.affine) return expand_affine(r.Ax, r.As, x, signals, states);
  states.resize(x.size(), series_terms);
  states.col(0) = x;
  const Vector s = signals.col(0);
  Vector xdot = Vector::Zero(x.size()), force = w.force, by_time = xdot, driven, rates;
  evaluate(sys, r, t, x.data(), s.data(), xdot.data(), force.data(), w);
  states.col(1) = xdot;
  Matrix J;
  const auto linearise = [&](Vector& by_time_and_signals) {
    jacobian(sys, r, t, x.data(), s.data(), rates.data(), J, by_time_and_signals, w);
  };
  // Formulas of time itself are taken as linear in it.
  rates = Vector::Zero(sys.ns());
  if (sys.smooth) linearise(by_time);
  rates = signals.col(1);
  linearise(driven);
  states.col(2) = (J * xdot + driven) / 2;
  for (int k = 2; k + 1 < series_terms; ++k) {
    states.col(k + 1) = J * states.col(k) / (k + 1);
    rates = signals.col(k);
    if (rates.isZero(0.0)) continue;
    linearise(driven);
    states.col(k + 1) += (driven - by_time) / (k + 1);
  }
}

} // namespace stickslip
