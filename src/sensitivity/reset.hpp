// Effect of an instant on neighbouring states: derivatives of its increment, computed only where it is smooth.
#pragma once

#include "sensitivity/slopes.hpp"

#include <optional>

namespace stickslip {

class ResetSlopes {
public:
  ResetSlopes(Replica& base, const Parameters& parameters) : machine(base), by(parameters) {}

  // The instant to be differentiated. `sampled`: the samplings that are due, at any time, where parameters move it.
  void look_at(const Passage& p, std::optional<SamplingState> sampled);
  // Derivatives of the increment of the packed state, and of the impulses behind it: along a change of the state and of
  // time; by a parameter alone; by both at once, along the motion of each neighbouring machine, where only this is
  // smooth.
  Vector along(const Vector& change, double dt);
  Vector by_parameter(Index j);
  Vector together(const Vector& change, double dt, Index j);

  bool same = true; // all neighbouring states and machines did the same

private:
  Replica& machine;
  const Parameters& by;
  const Passage* instant = nullptr;
  std::optional<SamplingState> due;
  bool decides = false; // it needs a decision; else modes and states change as in the run
  bool plastic = false; // rebounds end here
  List<Mode> limits;    // of the outputs of sampled controllers
  Vector from;          // values beside which it is differentiated,
  Vector increment;     // and its increment there, in the run itself

  Vector added(Replica& beside, const Vector& values, double t);
  void look_at_last_rebound();
};

// True if an impact is treated as plastic because its rebound would be too slow.
bool ends_rebounds(const System& sys, const Passage& p);

// To the nearest breakpoint of a signal, on either side.
double away_from_breakpoints(const System& sys, double t);

} // namespace stickslip
