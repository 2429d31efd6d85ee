// How a run ends, and why.
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
  // At the state, where the run cannot go on; where numbers have grown out of proportion that is said as well.
  void fail(Status status, const State& state, std::string reason);
  // Of a state that would become `beyond`.
  void no_longer_finite(const State& state, const Vector& beyond);
  // No combination of modes holds; `when`: for the message.
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
