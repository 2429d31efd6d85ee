// A machine linearised about one state, in modes that stay: x' = rate + by_state dx + by_time dt, for those changes dx of
// the state that constraints, closed contacts and sticking elements admit.
#pragma once

#include "dynamics/compiled.hpp"
#include "dynamics/state.hpp"

#include <memory>

namespace stickslip {

struct LinearMotion {
  Vector rate;      // x'
  Vector force;     // of each friction element, then of each contact
  Vector sliding;   // velocity of each friction element
  Matrix by_state;  // d x' / d x
  Vector by_time;   // d x' / d t
  List<Index> free; // states that remain independent
  Matrix all;       // changes of all states by changes of these
};

// At time `at.t`, in the modes of `at`, which may be of the same machine with fewer controllers, at the states x.
LinearMotion linearise(const std::shared_ptr<Compiled>& machine, const State& at, const Vector& x);

} // namespace stickslip
