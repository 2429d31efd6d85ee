// Structure of the motion from the matrix of an affine regime. Made once per regime.
#pragma once

#include "core/list.hpp"
#include "core/oscillation.hpp"
#include "core/slow_subspace.hpp"
#include "dynamics/regime.hpp"
#include "flow/stride.hpp"

#include <memory>

namespace stickslip {

struct FlowPlan {
  const Regime* regime = nullptr;
  // A^index = 0: free flight, sticking, constant acceleration; with signals that are polynomials the motion
  // is one, too. 0: not so.
  int index = 0;
  // Two states, first and second, swing; all others hold.
  bool swings = false;
  Index first = 0, second = 0;
  Oscillation oscillation;

  // States that depend only on such states, and without a cycle: sticking elements rest, and their attached states are
  // polynomials. Their motion is a polynomial, independent of all other states.
  List<Index> ending;
  Index longest = 0; // chain of them

  List<std::unique_ptr<Stride>> strides; // over intervals between sampling instants, as they come up

  explicit FlowPlan(const Regime& r);
  // For stiff regimes; computed on first use.
  const List<SlowSubspace>& slow_subspaces() const;

private:
  mutable bool taken_apart = false;
  mutable List<SlowSubspace> parts;
};

} // namespace stickslip
