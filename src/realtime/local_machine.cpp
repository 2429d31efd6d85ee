#include "realtime/local_machine.hpp"

#include "core/tolerances.hpp"
#include "dynamics/constraints.hpp"

#include <algorithm>

namespace stickslip {

LocalMachine::LocalMachine(const System& system, const DrivenSignals& driven, double t0, const Vector& x0)
    : sys(system), moving(driven.moving()), values(driven.at_start()),
      force(Vector::Zero(system.friction.size() + system.contacts.size())), xdot(Vector::Zero(system.nx)),
      scratch(system) {
  if (!sys.smooth) return;
  tangent().move_to(t0, consistent(sys, t0, x0).data(), {});
  tangent().write(values.data());
  moves_in_place = tangent().in_place();
  load_zero =
      tolerance::product * tangent().formulas.load_sizes(sys.nominal.cwiseMax(x0.cwiseAbs()), sys.time_scale);
}

const double* LocalMachine::at(double t, const StepPoint& p, const Modes& modes) noexcept {
  signals(p);
  if (sys.smooth) {
    tangent().move_to(t, p.x, modes.sides);
    tangent().write(values.data());
  }
  return values.data();
}

void LocalMachine::rates(const Regime& regime, double t, const double* x, const double* s,
                         double* out) noexcept {
  std::fill_n(out, sys.nx, 0.0);
  evaluate(sys, regime, t, x, s, out, force.data(), scratch);
}

void LocalMachine::guards(const Regime& regime, double t, const StepPoint& p, double* g) noexcept {
  if (regime.guards.empty()) return;
  rates(regime, t, p.x, signals(p));
  guard_values(sys, regime, t, p.x, values.data(), force.data(), g, scratch);
}

void LocalMachine::jacobian(const Regime& regime, double t, const double* x, const double* sdot, Matrix& J,
                            Vector& dfdt) noexcept {
  stickslip::jacobian(sys, regime, t, x, values.data(), sdot, J, dfdt, scratch);
}

bool LocalMachine::clips_formulas(double t, const StepPoint& p, const Modes& modes) noexcept {
  if (sys.smooth->loads.empty()) return false;
  tangent().move_to(t, p.x, modes.sides);
  const auto& loads = sys.smooth->loads;
  return std::any_of(loads.begin(), loads.end(), [&](const Smooth::Value& load) {
    return tangent().formulas.load(load.signal) < -load_zero(load.signal);
  });
}

} // namespace stickslip
