// Saturation modes of continuous controllers at one instant.
#pragma once

#include "core/list.hpp"
#include "dynamics/state.hpp"

namespace stickslip {

class Saturations {
public:
  Saturations(const System& sys, RegimeCache& cache, Scratch& scratch, State& state);

  // Modes after guards have fired; at the start, at breakpoints of signals and at ticks (nothing fired) all of them anew.
  void choose_all(const List<Guard>& fired, bool start);
  // Once the modes of friction are known: velocities may have jumped, and clamping looks at accelerations.
  // Returns whether an output now moves from within its limits to one of them or back.
  bool review();

private:
  const System& sys;
  RegimeCache& cache;
  Scratch& scratch;
  State& state;
  const Modes before;
  Vector x_before;
  bool starting = false;

  void choose(Index loop, Index output, const double* s, const double* sdot, const Vector& xdot,
              const BlockGuard::Trigger* fired);
};

// The integral of every output that follows its limit, from inputs as they are at the end of the past piece
// of motion. To be called before inputs jump.
void settle_following(const System& sys, RegimeCache& cache, State& state);

// free, high or low.
Mode mode_of(Saturation s);
// What sample() shows for a sampled output.
Mode mode_of(const Block& block, Index output, double held);

} // namespace stickslip
