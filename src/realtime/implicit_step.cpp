#include "realtime/implicit_step.hpp"

#include "core/small_lu.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double ros2 = 0.29289321881345247560; // 1 - 1/sqrt(2)

} // namespace

ImplicitStep::ImplicitStep(const System& system, LocalMachine& machine, bool differences)
    : sys(system), local(machine), moving(machine.moving_signals()), by_differences(differences) {
  f0 = f1 = k1 = k2 = dfdt = Vector::Zero(sys.nx);
  sdot = Vector::Zero(sys.ns());
  J = W = Matrix::Zero(sys.nx, sys.nx);
  order.resize(sys.nx);
}

// (1 - gamma span J) k1 = f(t, x) + gamma span f_t,
// (1 - gamma span J) k2 = f(t + span, x + span k1) - 2 k1 - gamma span f_t,   x + span (3/2 k1 + 1/2 k2)
void ImplicitStep::advance(const Regime& r, double t, double span, double h, const StepPoint& a,
                           StepPoint& b) noexcept {
  const Index n = sys.nx;
  const Eigen::Map<const Vector> xa(a.x, n);
  Eigen::Map<Vector> xb(b.x, n);
  for (Index j = 0; j < moving.size(); ++j) b.s[j] = a.s[j] + (span / h) * a.change[j];
  find_jacobian(r, t, span, h, a, b);
  W = -ros2 * span * J;
  W.diagonal().array() += 1.0;
  if (lu_factor(W.data(), n, order.data())) {
    k2 = f0 + ros2 * span * dfdt;
    lu_solve(W.data(), n, order.data(), k2.data(), k1.data());
    xb = xa + span * k1;
    local.rates(r, t + span, b.x, local.signals(b), f1.data());
    f1 -= 2.0 * k1 + ros2 * span * dfdt;
    lu_solve(W.data(), n, order.data(), f1.data(), k2.data());
    xb = xa + span * (1.5 * k1 + 0.5 * k2);
    if (xb.allFinite()) return;
  }
  // A vertical tangent at v = 0 has no Jacobian; the force is finite (Heun's method).
  xb = xa + span * f0;
  local.rates(r, t + span, b.x, local.signals(b), f1.data());
  xb = xa + 0.5 * span * (f0 + f1);
}

// f0 at a, J and df/dt: the order of the method does not depend on the accuracy of differences.
void ImplicitStep::find_jacobian(const Regime& r, double t, double span, double h, const StepPoint& a,
                                 const StepPoint& b) noexcept {
  constexpr double share = 1.5e-8; // relative to a state's size: half of its digits
  const double* const s = local.signals(a);
  local.rates(r, t, a.x, s, f0.data());
  if (!by_differences) {
    sdot.setZero();
    for (Index j = 0; j < moving.size(); ++j) sdot(moving.signals[j]) = a.change[j] / h;
    return local.jacobian(r, t, a.x, sdot.data(), J, dfdt);
  }
  k1 = Eigen::Map<const Vector>(a.x, sys.nx);
  for (Index i = 0; i < sys.nx; ++i) {
    k1(i) += share * std::max(std::abs(a.x[i]), sys.nominal(i));
    const double change = k1(i) - a.x[i];
    local.rates(r, t, k1.data(), s, f1.data());
    J.col(i) = (f1 - f0) / change;
    k1(i) = a.x[i];
  }
  local.rates(r, t + span, a.x, local.signals(b), f1.data());
  dfdt = (f1 - f0) / span;
}

} // namespace stickslip
