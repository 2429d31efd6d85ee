// A machine that is not linear, at one instant: a linear one with the rows, columns and values that hold there. Its
// accelerations and constraint forces are those of the machine itself, so that transitions and right-hand sides treat
// all machines as linear.
#pragma once

#include "dynamics/regime.hpp"
#include "model/smooth.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace stickslip {

struct State;
struct Holding;

// Derivatives of signals, accelerations without constraints and velocities of friction elements by (x, t) in a motion
// with given accelerations and forces, without the linear part in x: columns, the last one by time.
struct Turning {
  Matrix signals, accelerations, velocities;
};

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
  bool in_place() const { return !bound() && folds_in_place; }

  double kinetic(); // q' M q' / 2, of a mass matrix that is not constant

  // The normal load of a friction element that a formula gives, as it is; in the machine a negative one counts as zero.
  double load(Index element) const;
  // Sizes of the terms of the loads for states of these sizes, by the number of the element.
  Vector load_sizes(const Vector& nominal, double time_scale);
  // Conditions of choices in formulas: their values, the sizes of their terms for states of given sizes, and their
  // rates in a motion x'.
  double condition(Index k) const { return slots(smooth->tape.conditions[k]); }
  Vector condition_sizes(const Vector& nominal, double time_scale);
  Vector condition_rates(const double* xdot);

private:
  std::shared_ptr<const Smooth> smooth;
  bool placed = false, folds_in_place = true;
  bool complete = false; // outputs for the energy alone have been evaluated, too
  double t = 0.0;
  List<Sign> prescribed, prescribed_slopes; // sides, and those of the tape of slopes
  Vector x, slots, taken;
  Matrix mass, factor, inverse_mass;
  Index skew_row = -1,
        skew_column = -1; // of an entry of the mass matrix that is not its mirror image; -1: none
  Vector slope_slots;
  Matrix unbalanced; // generalised forces by (x, t)
  Turning change;
  // For the requested combinations of modes. When the state moves, parts that depend on it are recomputed in place.
  struct Local;
  std::map<Modes, std::unique_ptr<Local>> locals;
  Local* local = nullptr; // the last
  std::int64_t moves = 0;

  double result(Index k) const { return slots(smooth->tape.outputs[k]); }
  bool bound() const { return smooth->bound; }
  void restore(double t, Vector& x, const List<Sign>& sides, const List<Index>& closed,
               const List<Index>& held, Index open);
  void complete_slots();
  void write_motion(double* s) const;
  void factor_mass();
  void solve_mass(double* force) const;
  void invert_mass();
  void reduce();
  void weigh();
  void turn_rows();
  std::string place() const;
};

// Compliant contacts are closed if the choices in their formulas give a force.
void follow_sides(const System& sys, Modes& modes);

} // namespace stickslip
