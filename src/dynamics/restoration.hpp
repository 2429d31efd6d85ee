// Constraints, closed gaps and held velocities of a machine that is not linear, restored by the least change in the metric of
// the masses.
#pragma once

#include "expression/evaluate.hpp"
#include "model/system.hpp"

namespace stickslip {

class Tangent;

class Restoration {
public:
  // Of the state x at t, by these sides of conditions; the tangent moves with it.
  Restoration(Tangent& tangent, double t, Vector& x, const List<Sign>& sides);

  // Constraints, and the gaps of these contacts: Newton's method, as long as it gains.
  void restore_positions(const List<Index>& contacts);
  // Their velocities, and those of friction elements; open: see Redundancy.
  void restore_velocities(const List<Index>& contacts, const List<Index>& elements, Index open);

private:
  Tangent& tangent;
  const System& sys;
  bool bound;
  double t;
  Vector& x;
  List<Sign> sides;
  Vector s;

  void evaluate_rows();
  void restore_constraints(Index first, bool positions);
  double violation(const List<Index>& contacts) const;
};

} // namespace stickslip
