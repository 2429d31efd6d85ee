// What the matrix of an affine regime says about the form of its motion. Made once per regime.
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

  // States that depend on no others but such states, and on none in a circle: what sticks stands still, what
  // it carries counts. Their motion is a polynomial whatever the others do.
  List<Index> ending;
  Index longest = 0; // chain of them

  List<std::unique_ptr<Stride>> strides; // over intervals between ticks, as they come up

  explicit FlowPlan(const Regime& r);
  // Of stiff regimes; worked out when first asked for.
  const List<SlowSubspace>& slow_subspaces() const;

private:
  mutable bool taken_apart = false;
  mutable List<SlowSubspace> parts;
};

} // namespace stickslip
