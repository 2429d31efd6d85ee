// One step of the theta method without contacts, and the effect of impulses in it: with the rows and matrices half a step
// ahead if they are functions of the motion.
#pragma once

#include "dynamics/state.hpp"

namespace stickslip {

class ThetaMap {
public:
  // tangent: of a machine that is not linear; else null.
  ThetaMap(const System& sys, Tangent* tangent, double h, double theta);

  const System& system() const { return sys; }
  bool turns() const { return tangent != nullptr; }
  double step() const { return h; }

  void begin_step(const State& state);
  void advance(const Vector& x0, Vector& x1) const;
  // Velocities along the normals of all contacts, then of all elements.
  Vector velocities_at_start(const Vector& x0) const { return rows * x0 + signal_rows * s0; }
  Vector velocities_at_end(const Vector& x1) const { return rows * x1 + signal_rows * s1; }
  // Normal load of an element, mean of the step; gap of a contact half a step ahead, and its size.
  double load(const Friction& p) const { return theta * s1(p.load) + (1.0 - theta) * s0(p.load); }
  double gap(const Contact& c) const;
  double gap_size(const Contact& c, const Vector& nominal) const {
    return size_of(c.gap, nominal, s0.data());
  }
  // Velocity of the prescribed motion in a row; size of its terms.
  double wall_velocity(Index row) const { return signal_rows.row(row).dot(s1); }
  double velocity_size(Index row, const Vector& nominal) const {
    return rows.row(row).cwiseAbs().dot(nominal) + signal_rows.row(row).cwiseAbs().dot(s1.cwiseAbs());
  }

  Matrix columns; // change of the state at the end by unit impulses,
  Matrix G;       // and of the velocities

private:
  const System& sys;
  Tangent* tangent;
  double h, theta;
  List<Index> all_contacts, all_elements;
  Matrix flow, drive, rows, signal_rows;
  Vector s0, s1; // signals at both ends
  Vector middle; // state at which gaps are evaluated: the start, or half a step ahead

  void set_up();
};

} // namespace stickslip
