// Status, message and time of the end of a run.
#pragma once

#include "dynamics/state.hpp"
#include "run/recorder.hpp"

#include <string>

namespace stickslip {

class Conclusion {
public:
  explicit Conclusion(const System& of) : sys(of) {}

  void begin(const State& state);                       // a run
  void note(const std::string& text) { notes += text; } // on the start, for the message
  void finish(Status status, double t, std::string message);
  // For a run that cannot continue, with the state that has grown out of proportion, if any.
  void fail(Status status, const State& state, std::string reason);
  // The next state `beyond` is not finite.
  void no_longer_finite(const State& state, const Vector& beyond);
  // No combination of modes holds.
  void fail_undecided(const Jump& jump, const State& state, bool at_start);
  // The start of a step may lie before that of the run.
  double time_of(const State& state) const { return std::max(state.base_t, t_begin); }

  Outcome out;
  bool ended = false;
  double t = 0.0; // at which the run has ended

private:
  const System& sys;
  double t_begin = 0.0;
  Vector size_before; // of each state at the start
  std::string notes;
};

} // namespace stickslip
