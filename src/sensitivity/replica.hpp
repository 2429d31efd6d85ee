// A compiled machine in which motions and instants of a run can be repeated: the machine of the run itself, or one whose
// parameter is a little different.
#pragma once

#include "dynamics/compiled.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/tangent.hpp"
#include "run/passage.hpp"
#include "transition/transition.hpp"

#include <limits>
#include <memory>

namespace stickslip {

// Friction without a jump at rest: the motion on both sides of v = 0 is one and the same there, to first order, and so it
// does not matter on which side of it an instant finds the velocity.
bool has_no_jump(const Friction& element);

class Replica {
public:
  Replica(std::shared_ptr<Compiled> of, const Cutoffs& cutoffs);

  const System& system() const { return compiled->system; }
  const std::shared_ptr<Compiled>& machine() const { return compiled; }
  const Regime& regime(const Modes& modes); // recent ones without a search and its lock
  std::unique_ptr<Regime> build(const Modes& modes, const RegimeHint& hint = {}) const; // the same, not kept

  // Signals at t by the pieces that hold at `frame`; signals that follow the state are omitted.
  const Vector& signals(double frame, double t);
  const Vector& signal_rates(double frame, double t);
  // x' and all forces, in these modes.
  void move(const Modes& modes, double frame, double t, const double* x, Vector& xdot, Vector& force);
  void slopes(const Modes& modes, double frame, double t, const double* x, Matrix& J);
  // d x' / d t by the signals, at one state.
  const Vector& slope_in_time(const Modes& modes, double frame, double t, const double* x);
  Vector guards(const Modes& modes, double frame, double t, const double* x);
  double guard_size(const Modes& modes, const Guard& guard, double t, const double* x, const Vector& nominal);

  // Divisor of normal forces on which sliding friction depends, that is of everything that depends on them; 1 for others.
  double divisor(const Modes& modes, double frame, double t, const double* x);

  // True if there are sampled controllers: they also run at a start that is a sampling instant.
  bool samples() const { return transition.samples(); }
  // Passes an instant of a run; false where the outcome is not that of the run. `impulses`: normal ones of contacts,
  // then those of constraints.
  bool pass(State& state, const Passage& as, Vector* impulses = nullptr);
  // Limit modes of the outputs of sampled controllers, pending outputs included.
  List<Mode> limits(const State& state) const;
  // The same machine, in which no contact rebounds.
  Replica& plastic();
  Index impulse_count() const { return system().contacts.size() + system().constraints.all.size(); }
  // The same without impact, sampling or decision: sets the states that the change of modes sets.
  void change(State& state, const Passage& as);
  // True if steps in these modes end with a projection, because constraints, closed gaps or held velocities would drift;
  // and this projection.
  bool projects(const Modes& modes);
  void project(const Modes& modes, double t, Vector& x);
  // Velocities of elements that rest in these modes are brought to zero, by the least change in the metric of the
  // masses. `as`: a regime of these modes, of this machine or of a neighbouring one.
  void hold(const Regime& as, double t, Vector& x);
  // Residuals of constraints and closed contacts: gaps, then their rates.
  Vector residuals(const Regime& as, double t, const double* x);

private:
  std::shared_ptr<Compiled> compiled;
  std::unique_ptr<Tangent> here; // of a machine that is not linear, for transitions
  RegimeCache own;
  Transition transition;
  Scratch scratch;
  List<const Regime*> lately;
  double signals_at = std::numeric_limits<double>::quiet_NaN(), signals_in = 0.0; // time and frame
  Vector s, sdot, force, xdot, dfdt;
  Matrix by_state;
  List<Index> varying;
  double overlap; // of the cutoffs
  std::unique_ptr<Replica> without_rebounds;

  void shared_rates(const Modes& modes, double frame, double t, const double* x, Matrix& J);
  const System& at(const Modes& modes, double t, const double* x); // with the rows that hold there; fills s
};

// Part of a state that an instant may change: x, the memory of sampled controllers, pending outputs.
Vector packed(const State& state);
void unpack(const Vector& values, State& state);

} // namespace stickslip
