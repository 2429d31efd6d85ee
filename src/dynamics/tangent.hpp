// A machine that is not linear, at one instant: a linear one with the rows, columns and values that hold there. Its
// accelerations and constraint forces are those of the machine itself, so that transitions and right-hand sides treat
// all machines as linear.
#pragma once

#include "dynamics/moving_mass.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/turning.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace stickslip {

struct State;
struct Holding;

// A regime whose forces are known, and how its constraints hold.
struct Reactions {
  const Regime& regime;
  Holding& holding;
};

class Tangent {
public:
  explicit Tangent(const System& of);
  ~Tangent();

  // Choices in formulas by the sides of their conditions that are prescribed, beyond a corner too; where there is no
  // value beyond it, and without sides, each by its own condition.
  void move_to(double t, const double* x, const List<Sign>& sides);
  void move_to(const State& state); // where its last step began
  // Sizes of the accelerations that forces of formulas make: the greatest over all states at which this was called.
  void size_accelerations();
  // Values of the signals that follow the state, where it has been moved to.
  void write(double* s);

  System system;
  FormulaValues formulas;
  Vector reaction_loads; // as solved last: dynamics/reaction_loads.hpp

  // In these modes, there.
  const Regime& regime(const Modes& modes);
  // The same without the matrices of x' and of forces by states.
  Reactions reactions(const Modes& modes);
  // Signals as given, with those that follow the state.
  const double* signals(const double* given);
  // Rates of the rows at the current point, for given x', forces and rates of signals.
  const Turning& turning(const double* xdot, const double* force, const double* sdot);
  // x' where no element acts and nothing is held; false if there may be some.
  bool free_rates(const double* x, const double* s, double* xdot) const;

  // Constraints, closed gaps, and held velocities are restored by the least change in the metric of the
  // masses.
  void project(double t, Vector& x, const Modes& modes);
  void keep_constraints(double t, Vector& x); // these alone
  // True if the held velocities cannot all be zero at the current point, because rows that were equal have become
  // different.
  bool parts(const Modes& modes, const Vector& x, const Vector& nominal);
  // Velocities that are held alone, where it has been moved to.
  void rest(const Modes& modes, const double* s, double* x);

  // Undefined quantity at the current point: an operation and its inputs, or the mass matrix; empty if none.
  std::string complaint() const;
  // A mass matrix that is not symmetric there; empty: it is.
  std::string asymmetry() const;
  // Reason for a steep motion that cannot continue there; empty if unknown.
  std::string steepness() const;

  bool bare() const; // no friction, contact, spring or controller
  // Moving, and regimes of modes that were requested before, allocate no memory.
  bool in_place() const { return !smooth->bound && folds_in_place; }

  double kinetic(); // q' M q' / 2, of a mass matrix that is not constant

private:
  std::shared_ptr<const Smooth> smooth;
  bool folds_in_place = true;
  double t = 0.0;
  Vector x, taken;
  MovingMass mass;
  Matrix inverse_mass;
  TurningRates turning_rates;
  // For the requested combinations of modes. When the state moves, parts that depend on it are recomputed in place.
  struct Local;
  std::map<Modes, std::unique_ptr<Local>> locals;
  Local* local = nullptr; // the last
  std::int64_t moves = 0;

  void write_motion(double* s) const;
  void invert_mass();
  void reduce();
};

// Compliant contacts are closed if the choices in their formulas give a force.
void follow_sides(const System& sys, Modes& modes);

} // namespace stickslip
