// The energy balance of a run.
#pragma once

#include "core/list.hpp"
#include "run/powers.hpp"
#include "run/rows.hpp"
#include "run/trajectory.hpp"

namespace stickslip {

// The balance at the ends of segments, from which the residual follows.
class Balance {
public:
  explicit Balance(const System& sys);

  void begin(); // of the next run
  // The motion over [a, b] of a segment that follows on the last one.
  void segment(const Segment& seg, const double* C, double a, double b);
  // Adds the energy of an impact.
  void impact(double loss, double wall_work);
  // Greatest imbalance relative to the sum of all work, each with its magnitude; 0 without motion, NaN for plants in
  // matrix notation, whose stored energy is unknown.
  double residual() const;

private:
  Powers powers;
  bool known;
  bool begun = false;
  Vector work;
  double start = 0.0, lost = 0.0, absolute = 0.0, largest = 0.0, worst = 0.0;
  double before = 0.0; // energy change of impacts at the start
};

double energy_residual(const Trajectory& run);

// Every term of the energy balance at the given times, cumulative from t_begin.
struct EnergyBalance {
  Vector kinetic, elastic;
  Rows drives;      // work done by each applied force
  Vector damping;   // energy taken by the damping matrix
  Rows friction;    // energy taken at each element
  Rows surfaces;    // work done by each moving surface
  Rows dampers;     // energy taken by the damper of each spring
  Rows supports;    // work done by each spring's moving end
  Rows compliances; // energy dissipated by the damper of each compliant contact
  Rows walls; // work done by each contact whose gap moves by itself, and in impacts by its surface as well
  Vector impacts;   // energy lost in impacts
  Rows controllers; // work done by each controller
  Rows constraints; // work done by each constraint that moves by itself
  Vector imbalance;
};
EnergyBalance energy(const Trajectory& run, const List<double>& times);

} // namespace stickslip
