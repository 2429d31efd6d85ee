// The machine at one instant: values of all its signals, and its rows and columns where these are functions of the motion.
#pragma once

#include "dynamics/tangent.hpp"
#include "realtime/driven_signals.hpp"

namespace stickslip {

class LocalMachine {
public:
  LocalMachine(const System& sys, const DrivenSignals& driven, double t0, const Vector& x0);

  // With the rows of the last instant.
  const System& system() noexcept { return sys.smooth ? tangent().system : sys; }
  Tangent& tangent() noexcept { return scratch.tangent(sys); } // of a machine that is not linear
  const Vector& signals() const { return values; }
  const Moving& moving_signals() const { return moving; }

  // All signals at a point; at() also those that follow the state, with rows and columns, in these modes.
  const double* signals(const StepPoint& p) noexcept {
    for (Index j = 0; j < moving.size(); ++j) values(moving.signals[j]) = p.s[j];
    return values.data();
  }
  const double* at(double t, const StepPoint& p, const Modes& modes) noexcept;

  // x' in a regime, with the forces of all elements and contacts, which stay in forces() until the next evaluation.
  void rates(const Regime& regime, double t, const double* x, const double* s, double* xdot) noexcept;
  const Vector& rates(const Regime& regime, double t, const double* x, const double* s) noexcept {
    rates(regime, t, x, s, xdot.data());
    return xdot;
  }
  void guards(const Regime& regime, double t, const StepPoint& p, double* g) noexcept;
  void jacobian(const Regime& regime, double t, const double* x, const double* sdot, Matrix& J,
                Vector& dfdt) noexcept;
  const Vector& forces() const { return force; }

  // A normal load that a formula gives is negative, and counts as zero.
  bool clips_loads(double t, const StepPoint& p, const Modes& modes) noexcept {
    return sys.smooth && clips_formulas(t, p, modes);
  }
  bool in_place() const { return moves_in_place; } // turning rows do not allocate

private:
  const System& sys;
  const Moving& moving;
  Vector values, force, xdot;
  Vector load_zero; // rounding error of a load from a formula
  bool moves_in_place = true;
  Scratch scratch;

  bool clips_formulas(double t, const StepPoint& p, const Modes& modes) noexcept;
};

} // namespace stickslip
