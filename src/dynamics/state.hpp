// The complete state of a run: continue from it and the result has the same bits as a run that never stopped.
#pragma once

#include "core/list.hpp"
#include "dynamics/past.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/sampling_state.hpp"

namespace stickslip {

// Of each friction element.
struct Slips {
  Vector left;             // when it last broke away
  List<std::int8_t> brief; // slips in a row too short and slow to count, see memory.cpp

  bool operator==(const Slips& o) const {
    return left.size() == o.left.size() && left == o.left && brief == o.brief;
  }
};

// Steps never depend on the end time of a run: a run that ends within a step keeps the start of that step here and
// repeats the same step when it is continued.
struct State {
  double t = 0.0;
  Vector x; // at t
  Modes modes;
  double base_t = 0.0; // start of the step in progress
  // Time by which the start is later than base_t, below its last digit. If nothing depends on time itself the
  // motion uses the sum of both, so that rounding errors of a million events do not accumulate.
  double base_t_compensation = 0.0;
  Vector base_x;
  bool after_transition = true; // the step starts where guards may be zero by construction
  // For each guard of the modes after a decision: the number of its first Taylor coefficients that are zero, the next
  // one being negative; all of them: its sign is unknown. -1, or none: not decided.
  List<std::int8_t> zeros;
  bool started = false;     // modes have been chosen
  double step = 0.0;        // proposed next step of an adaptive flow; 0: find one
  double last_error = 0.0;  // of its step controller
  int stiff = 0;            // how often in a row the explicit flow looked stiff
  Vector nominal;           // size of each state: expected, or as seen so far if that is greater
  Vector seen;              // greatest size of each state so far
  double time_scale = 1.0;  // as far as is known by now
  Identity identity;        // of the machine it belongs to
  std::int64_t instant = 0; // number of the last instant with events
  SamplingState sampling;   // of sampled controllers
  Slips slips;
  List<Past> past;       // of each element with dead time
  std::int8_t joint = 0; // lowest derivative of the velocities that jumps at base_t

  bool operator==(const State&) const;
};

// Enlarges the sizes to those of this state, and with them the time scale of a machine without rates of its own.
void see(const System& sys, State& state);

// Initial state without decisions: all elements slide or are open. Positions and velocities that are NaN follow from
// constraints, with the least change from zero in the metric of the masses; violated constraints are an error.
State initial_state(const System& sys, double t0, const Vector& given);

} // namespace stickslip
