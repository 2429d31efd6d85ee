// One trial of an integrated step: by an explicit pair, or by the stiff method. The explicit pair of machines that are not
// linear is of order 8: their steps are dear, and long ones save most.
#pragma once

#include "core/dop853.hpp"
#include "core/dopri5.hpp"
#include "core/rosenbrock.hpp"
#include "flow/force_balance.hpp"
#include "flow/right_hand_side.hpp"
#include "flow/step.hpp"

#include <cmath>

namespace stickslip {

class TrialStep {
public:
  TrialStep(const System& sys, RightHandSide& rhs);

  void begin(const Regime& r) { balance.begin(r); }
  // By the method `kind`, from the state, where x' is `rate`; false if it has no result.
  bool make(const State& state, double h);
  // Its result, and the error of that by the embedded method.
  const Vector& end() const { return is_stiff() ? stiff.x1 : high() ? eighth.x1 : fifth.x1; }
  const Vector& error() const { return is_stiff() ? stiff.error : high() ? eighth.error : fifth.error; }
  double error_in_tolerances(const State& state, const Vector& atol, double rtol) const;
  // Its motion, in the first columns() of C.
  void expand(const Regime& r, const State& state, double h, Matrix& C);
  Index columns() const { return is_stiff() || !high() ? dopri5_dense_columns : dop853_dense_columns; }
  // Stiff if the step is limited by stability: h |lambda| is estimated from the last two stages (Hairer, Wanner IV.2).
  bool looks_stiff(double h) const;

  // x' at the start, where it is known from what was evaluated before, and to be known there.
  bool find_known(const Regime& r, const State& state);
  void know(const Regime& r, const Vector& x, const Vector& rate_there);
  void forget() { known.regime = nullptr; }
  // False if a slope is infinite.
  bool linearise(const State& state) {
    rhs.linearise(state.base_t, state.base_x.data(), rate, J, by_time);
    return J.allFinite();
  }

  // Rate at which state i settles, 1/s; 0 where the method is explicit.
  double stiffness(Index i) const { return is_stiff() ? std::abs(J(i, i)) : 0.0; }
  bool is_balanced() const { return is_stiff() && balanced; }
  bool is_stiff() const { return kind != FlowKind::explicit_pair; }
  bool is_high() const { return !is_stiff() && high(); }
  int explicit_order() const { return high() ? dop853_order : dopri5_order; }

  FlowKind kind = FlowKind::explicit_pair;
  Vector rate; // x' at the start
  ForceBalance balance;

private:
  const System& sys;
  RightHandSide& rhs;
  Matrix J;
  Vector by_time; // of x'
  Dopri5Workspace fifth;
  Dop853Workspace eighth;
  RosenbrockWorkspace stiff;
  struct { // where nothing else changes it, the rate at the end of a step starts the next one
    const Regime* regime = nullptr;
    Vector x, rate;
  } known;

  bool balanced = false; // the last trial

  bool high() const { return sys.smooth != nullptr; }
  bool make_stiff(const State& state, double h);
  template <Index N> bool make_stiff_quick(const State& state, double h);
};

} // namespace stickslip
