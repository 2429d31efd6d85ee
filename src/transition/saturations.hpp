// Saturation modes of continuous controllers at one instant.
#pragma once

#include "core/list.hpp"
#include "dynamics/state.hpp"

namespace stickslip {

class Saturations {
public:
  Saturations(const System& sys, RegimeCache& cache, Scratch& scratch, State& state);

  // Modes after guards have fired; at the start, at breakpoints of signals and at sampling instants (no guard has
  // fired) all modes.
  void choose_all(const List<Guard>& fired, bool start);
  // After the modes of friction: velocities may have jumped, and clamping depends on accelerations. True if an output
  // moves from within its limits to one of them or back.
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

// Integral of every output that follows its limit, from inputs at the end of the past regime. To be called before
// inputs jump.
void settle_following(const System& sys, RegimeCache& cache, State& state);

// free, high or low.
Mode mode_of(Saturation s);
// Displayed mode of a sampled output.
Mode mode_of(const Block& block, Index output, double held);

} // namespace stickslip
