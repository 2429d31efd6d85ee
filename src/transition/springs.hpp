// Modes of springs just after an instant: the segment of each flank, and whether its damper releases it.
//
// A spring's force is a continuous function of position and velocity except at contact, where its damper makes it jump
// from 0 to d v; there the sign of v decides. A flank exactly on a corner, or exactly without force, is decided by the
// first nonzero derivative. Both sides of the corner have the same derivatives up to that one, so the motion of the
// present modes suffices.
#pragma once

#include "core/list.hpp"
#include "transition/motion_after.hpp"

#include <optional>

namespace stickslip {

class Springs {
public:
  Springs(const System& sys, RegimeCache& cache, State& state, MotionAfter& motion);

  // Flanks of the guards that have fired; at the start, at breakpoints of signals and at sampling instants (no guard
  // has fired) all flanks.
  void choose(const List<Guard>& fired, bool start);
  // After the modes of friction and contacts: velocities may have jumped, and accelerations may have changed. True if a
  // mode of a spring changes.
  bool review();
  bool any_open() const; // this instant decides some of them
  // Sign of a guard of the present modes, if this instant decides it; the motion has been expanded.
  std::optional<SignAfter> sign_of(const FlankGuard& guard) const;

private:
  const System& sys;
  RegimeCache& cache;
  State& state;
  MotionAfter& motion;
  Modes before;
  Vector x_before;
  bool starting = false;
  List<bool> open;     // flanks that this instant decides
  List<Index> corner;  // corner of each flank; -1: it is not on a corner
  List<bool> balanced; // flanks with zero force at this instant

  Index stretch_of(Index flank) const;
  bool is_loose(Index flank, FlankMode now) const;
};

// Displayed mode of a spring: open without force; closed if its only flank, or both, push; high or low if one of two
// does.
Mode mode_of(const System& sys, const Spring& spring, const Modes& modes);

} // namespace stickslip
