// Modes of springs at one instant: on which stretch each flank is just after it, and whether its damper lets go.
//
// A spring's force is a continuous function of position and velocity but for a touch, where its damper makes it jump
// from 0 to d v; there v itself says which way it goes. What is exactly on a corner, or exactly without force, is
// decided by the first derivative that is not zero. Up to that derivative both sides of the corner move alike, so what
// the motion of the present modes shows is what follows.
#pragma once

#include "core/list.hpp"
#include "dynamics/state.hpp"

namespace stickslip {

class Springs {
public:
  Springs(const System& sys, RegimeCache& cache, Scratch& scratch, State& state);

  // After guards have fired those of their flanks; at the start, at breakpoints of signals and at ticks (nothing
  // fired) all of them.
  void choose(const List<Guard>& fired, bool start);
  // Once modes of friction and contacts are known: velocities may have jumped, and accelerations may have changed.
  // Whether a mode of a spring is another one now.
  bool review();

private:
  const System& sys;
  RegimeCache& cache;
  Scratch& scratch;
  State& state;
  Modes before;
  Vector x_before;
  bool starting = false;
  List<bool> open;              // flanks that this instant decides
  List<Index> corner;           // on which of its corners each is; -1: on none
  List<bool> balanced;          // those whose force is zero here
  Matrix series, signal_series; // of the state and of the signals just after the instant

  void expand(bool decided);
  double term(const Form& form, int k) const {
    return value(form, series.col(k).data(), signal_series.col(k).data());
  }
  int sign_after_instant(const Form& form, bool from_zero) const;
  Index stretch_of(Index flank) const;
  bool is_loose(Index flank, FlankMode now) const;
};

// What a spring shows: open without force; closed where one that has one flank, or both flanks, push; high and low
// where one of two does.
Mode mode_of(const System& sys, const Spring& spring, const Modes& modes);

} // namespace stickslip
