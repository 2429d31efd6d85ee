// The motion just after an instant as a Taylor series in the present modes of a state.
#pragma once

#include "dynamics/state.hpp"
#include "transition/sign_after.hpp"

namespace stickslip {

class MotionAfter {
public:
  MotionAfter(const System& sys, RegimeCache& cache, Scratch& scratch, const State& state);

  // The series is that of the present modes and state. At the start friction modes are not decided, and it omits friction.
  void expand(bool decided);

  // k-th Taylor coefficient of a form.
  double term(const Form& form, int k) const {
    return value(form, states.col(k).data(), signals.col(k).data());
  }
  double state_term(Index at, int k) const { return states(at, k); }
  double size(const Form& form) const { return size_of(form, state.nominal, signals.data()); }
  double time_scale() const { return state.time_scale; }
  // Sign of a quantity with these terms and this size. zeros: so many first terms are known to be zero.
  template <class Term> SignAfter sign(Term&& of, double size, int zeros, int terms = series_terms) const {
    return sign_after([&](int k) { return k < zeros ? 0.0 : of(k); }, size, state.time_scale, state.base_t,
                      terms);
  }
  SignAfter sign(const Form& form, int zeros) const {
    return sign([&](int k) { return term(form, k); }, size(form), zeros);
  }

private:
  const System& sys;
  RegimeCache& cache;
  Scratch& scratch;
  const State& state;
  Matrix states, signals;
  Modes modes; // of the series
  Vector x;
  bool undecided = true;
};

} // namespace stickslip
