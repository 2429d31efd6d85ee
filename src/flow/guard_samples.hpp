// Guards of an integrated step that are no linear forms: polynomials through samples, and checks between the samples.
#pragma once

#include "flow/guard_polynomials.hpp"
#include "flow/right_hand_side.hpp"
#include "flow/step.hpp"

namespace stickslip {

class GuardSamples {
public:
  GuardSamples(const System& sys, RightHandSide& rhs, GuardPolynomials& series, const Matrix& C);

  // Polynomials of all guards of the step whose motion is in C; true if some of them are through samples.
  bool expand(const Regime& r, const State& state, const Step& step);
  bool is_sampled(const Regime& r, Index guard) const { return !is_polynomial(r, guard); }
  // State, its rate and guards at theta.
  void evaluate(const State& state, const Step& step, double theta);
  void evaluate_at(double t, const double* at); // another state
  double value(Index guard) const { return values(guard); }
  const Vector& state() const { return x; }
  const Vector& rate() const { return xdot; }
  double greatest(Index guard) const { return sampled.row(guard).cwiseAbs().maxCoeff(); }

  // False if a sample has no value, or samples show so little of a guard that it may cross zero between them.
  bool show_all(const Regime& r) const;
  // True if a guard became positive, where guards were evaluated last, before the event of another, though its
  // polynomial shows a later crossing; by more than its value after a transition.
  bool passes_another(const Regime& r, const State& state, Index event) const;

private:
  const System& sys;
  RightHandSide& rhs;
  GuardPolynomials& series;
  const Matrix& C;
  Matrix sampled; // guards x places
  Vector values, x, xdot;

  bool is_polynomial(const Regime& r, Index guard) const;
  void sample(const Regime& r, const State& state, const Step& step, bool forces);
  bool hides_crossing(Index guard) const;
};

} // namespace stickslip
