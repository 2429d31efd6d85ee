// x', forces and guards of a regime during one step, under the signals of that step and with the velocities that elements
// with dead time see.
#pragma once

#include "dynamics/field.hpp"
#include "dynamics/state.hpp"
#include "flow/delays.hpp"
#include "flow/step_signals.hpp"

namespace stickslip {

class RightHandSide {
public:
  explicit RightHandSide(const System& sys);

  void begin(const Regime& regime, const State& state); // a step
  void operator()(double t, const double* x, double* xdot);
  // Guards, under the forces of the evaluation before.
  void guards(double t, const double* x, double* values);
  // x', d x' / d x and d x' / d t.
  void linearise(double t, const double* x, Vector& xdot, Matrix& J, Vector& by_time);

  // Prepares `field` for the regime; false where it cannot stand for it.
  bool bind(const Regime& regime);
  bool bind_step();                                        // the same for the step that was begun
  bool is_quick() const { return quick; }                  // `field` stands for this regime
  void evaluate(double t, const double* x, double* xdot) { // without forces where it is quick
    if (!quick) return (*this)(t, x, xdot);
    ++evaluations;
    field.rhs<0>(t, x, xdot);
  }
  // The greatest rate at which an internal state of a law settles, 1/s.
  double greatest_bristle_rate(const double* x);
  Tangent& tangent() { return scratch.tangent(sys); } // of a machine that is not linear
  bool autonomous() const { return signals.constant() && !reads_time; }
  // x' and forces at the start of the step as the machine's definition has them, without delays.
  void at_start(Vector& xdot, Vector& forces);

  StepSignals signals;
  Delays delays;
  Field field;
  Vector force; // of the last evaluation: of friction elements, then normal forces
  std::int64_t evaluations = 0;

private:
  const System& sys;
  const Regime* regime = nullptr;
  const State* state = nullptr;
  Scratch scratch;
  Vector with_delays, signal_rates;
  bool quick = false;
  bool reads_time = false; // formulas of the motion do

  const double* delayed(double t, const double* x); // x with the velocities of one dead time ago
};

} // namespace stickslip
