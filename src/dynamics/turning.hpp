// How rows, loads and forces of formulas turn with the motion.
#pragma once

#include "dynamics/formula_values.hpp"
#include "model/system.hpp"

namespace stickslip {

// Derivatives of signals, accelerations without constraints and velocities of friction elements by (x, t) in a motion
// with given accelerations and forces, without the linear part in x: columns, the last one by time.
struct Turning {
  Matrix signals, accelerations, velocities;
};

class TurningRates {
public:
  explicit TurningRates(const System& system) : sys(system) {}

  // Where the formulas are evaluated, for given x', forces of elements, contacts and constraints, and rates of signals.
  const Turning& find(const FormulaValues& formulas, const Matrix& inverse_mass, const double* xdot,
                      const double* force, const Vector& constraints, const double* sdot);

private:
  const System& sys;
  Vector slots;
  List<Sign> sides;
  Matrix unbalanced; // generalised forces by (x, t)
  Turning change;

  void make_room();
  void add(Matrix& out, const List<Smooth::Slopes::Entry>& entries) const;
};

} // namespace stickslip
