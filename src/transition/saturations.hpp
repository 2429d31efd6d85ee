// Saturation modes of continuous controllers at one instant.
#pragma once

#include "control/block.hpp"
#include "core/list.hpp"
#include "transition/motion_after.hpp"

#include <optional>

namespace stickslip {

class Saturations {
public:
  Saturations(const System& sys, RegimeCache& cache, State& state, MotionAfter& motion);

  // Modes after guards have fired; at the start, at breakpoints of signals and at sampling instants (no guard has
  // fired) all modes.
  void choose(const List<Guard>& fired, bool start);
  // After the modes of friction: velocities may have jumped, and accelerations may have changed. True if an output moves
  // from within its limits to one of them or back.
  bool review();
  bool any_open() const; // this instant decides some of them
  // Sign of a guard of the present modes, if this instant decides it; the motion has been expanded.
  std::optional<SignAfter> sign_of(const SaturationGuard& guard) const;

private:
  struct Limit {
    Index loop, output;
    bool open = false;                               // this instant decides it
    std::optional<BlockGuard::Trigger> trigger = {}; // of the guard that fired,
    std::optional<LimitQuantity> zero = {};          // whose quantity is zero at the instant,
    int side = 0;                                    // at this limit
  };

  const System& sys;
  RegimeCache& cache;
  State& state;
  MotionAfter& motion;
  const Modes before;
  Vector x_before;
  bool starting = false;
  List<Limit> limits; // in the order of dataflow

  Saturation& mode(const Limit& at) {
    return state.modes.saturation[sys.loops[at.loop].saturation + at.output];
  }
  SignAfter sign_of(const Limit& at, const BlockRow& row, LimitQuantity quantity, int side) const;
  void choose(const Limit& at);
};

// Integral of every output that follows its limit, from inputs at the end of the past regime. To be called before
// inputs jump.
void settle_following(const System& sys, RegimeCache& cache, State& state);

// free, high or low.
Mode mode_of(Saturation s);
// Displayed mode of a sampled output.
Mode mode_of(const Block& block, Index output, double held);

} // namespace stickslip
