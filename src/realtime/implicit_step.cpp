#include "realtime/implicit_step.hpp"

#include "core/small_lu.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace stickslip {

namespace {

constexpr double ros2 = 0.29289321881345247560; // 1 - 1/sqrt(2)
constexpr int most_rounds = 10;                 // of Newton's method

} // namespace

ImplicitStep::ImplicitStep(const System& system, LocalMachine& machine, bool differences)
    : sys(system), local(machine), moving(machine.moving_signals()), by_differences(differences) {
  f0 = f1 = k1 = k2 = dfdt = Vector::Zero(sys.nx);
  sdot = Vector::Zero(sys.ns());
  J = W = Matrix::Zero(sys.nx, sys.nx);
  order.resize(sys.nx);
  for (const Friction& p : sys.friction)
    if (p.traits.states > 0 && !p.traits.searches) find_levels(p); // none is known of a formula
}

// Deflections of steady sliding at the static level, the same in both directions, if the rate leads back from beyond it: not
// those at which an element of a sum begins to slip.
void ImplicitStep::find_levels(const Friction& p) {
  const Index n = p.traits.states;
  Vector level(n), rates(n);
  steady(p.law, DBL_MIN, level.data(), 1.0);
  const Vector beyond = (1.0 + tolerance::same) * level;
  evaluate(p.law, 1.0, 1, 0U, beyond.data(), rates.data(), 1.0);
  for (Index k = 0; k < n; ++k)
    if (rates(k) * level(k) < 0.0) deflections.push_back({p.states + k, std::abs(level(k))});
}

void ImplicitStep::advance(const Regime& r, double t, double span, double h, const StepPoint& a,
                           StepPoint& b) noexcept {
  for (Index j = 0; j < moving.size(); ++j) {
    b.s[j] = a.s[j] + (span / h) * a.change[j];
    sdot(moving.signals[j]) = a.change[j] / h;
  }
  if (advance_linearly(r, t, span, a, b) || solve_implicitly(r, t, span, a, b)) return;
  // A vertical tangent at v = 0 has no Jacobian; the force is finite (Heun's method).
  const Eigen::Map<const Vector> xa(a.x, sys.nx);
  Eigen::Map<Vector> xb(b.x, sys.nx);
  local.rates(r, t, a.x, local.signals(a), f0.data());
  xb = xa + span * f0;
  local.rates(r, t + span, b.x, local.signals(b), f1.data());
  xb = xa + 0.5 * span * (f0 + f1);
}

// (1 - gamma span J) k1 = f(t, x) + gamma span f_t,
// (1 - gamma span J) k2 = f(t + span, x + span k1) - 2 k1 - gamma span f_t,   x + span (3/2 k1 + 1/2 k2)
// False if there is no such step, or if it leads beyond the level of a bristle.
bool ImplicitStep::advance_linearly(const Regime& r, double t, double span, const StepPoint& a,
                                    StepPoint& b) noexcept {
  const Index n = sys.nx;
  const Eigen::Map<const Vector> xa(a.x, n);
  Eigen::Map<Vector> xb(b.x, n);
  local.rates(r, t, a.x, local.signals(a), f0.data());
  find_jacobian(r, t, a, f0);
  if (by_differences) {
    local.rates(r, t + span, a.x, local.signals(b), f1.data());
    dfdt = (f1 - f0) / span;
  }
  W = -ros2 * span * J;
  W.diagonal().array() += 1.0;
  if (!lu_factor(W.data(), n, order.data())) return false;
  k2 = f0 + ros2 * span * dfdt;
  lu_solve(W.data(), n, order.data(), k2.data(), k1.data());
  xb = xa + span * k1;
  if (exceeds_level(a, b)) return false;
  local.rates(r, t + span, b.x, local.signals(b), f1.data());
  f1 -= 2.0 * k1 + ros2 * span * dfdt;
  lu_solve(W.data(), n, order.data(), f1.data(), k2.data());
  xb = xa + span * (1.5 * k1 + 0.5 * k2);
  return xb.allFinite() && !exceeds_level(a, b);
}

// x = a + span f(t + span, x)
bool ImplicitStep::solve_implicitly(const Regime& r, double t, double span, const StepPoint& a,
                                    StepPoint& b) noexcept {
  const Index n = sys.nx;
  const Eigen::Map<const Vector> xa(a.x, n);
  Eigen::Map<Vector> xb(b.x, n);
  xb = xa;
  for (int round = 0; round < most_rounds; ++round) {
    local.rates(r, t + span, b.x, local.signals(b), f1.data());
    find_jacobian(r, t + span, b, f1);
    W = -span * J;
    W.diagonal().array() += 1.0;
    k2 = xa + span * f1 - xb;
    if (!lu_factor(W.data(), n, order.data())) return false;
    lu_solve(W.data(), n, order.data(), k2.data(), k1.data());
    k2 = xb;
    xb += k1;
    for (const Deflection& one : deflections)
      b.x[one.state] = std::clamp(b.x[one.state], -most(one, a), most(one, a));
    k2 -= xb;
    if ((k2.array().abs() <= tolerance::same * sys.nominal.array()).all()) break;
  }
  return xb.allFinite();
}

// J at a point where the rates are f; its error does not change the order of the method. Without differences dfdt, too.
void ImplicitStep::find_jacobian(const Regime& r, double t, const StepPoint& p, const Vector& f) noexcept {
  constexpr double share = 1.5e-8; // relative to a state's size: half of its digits
  const double* const s = local.signals(p);
  if (!by_differences) return local.jacobian(r, t, p.x, sdot.data(), J, dfdt);
  k1 = Eigen::Map<const Vector>(p.x, sys.nx);
  for (Index i = 0; i < sys.nx; ++i) {
    k1(i) += share * std::max(std::abs(p.x[i]), sys.nominal(i));
    const double change = k1(i) - p.x[i];
    local.rates(r, t, k1.data(), s, k2.data());
    if (change != 0.0)
      J.col(i) = (k2 - f) / change;
    else
      J.col(i).setZero(); // nothing is known of its size
    k1(i) = p.x[i];
  }
}

double ImplicitStep::most(const Deflection& one, const StepPoint& a) const noexcept {
  return std::max(one.most, std::abs(a.x[one.state]));
}

bool ImplicitStep::exceeds_level(const StepPoint& a, const StepPoint& b) const noexcept {
  return std::any_of(deflections.begin(), deflections.end(), [&](const Deflection& one) {
    return !(std::abs(b.x[one.state]) <= (1.0 + tolerance::same) * most(one, a));
  });
}

} // namespace stickslip
