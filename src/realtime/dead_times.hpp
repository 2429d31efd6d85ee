// Past sliding velocities of the elements with dead time, on which their present friction depends.
#pragma once

#include "realtime/local_machine.hpp"
#include "realtime/ring.hpp"

namespace stickslip {

class DeadTimes {
public:
  // Before the start, sliding elements have slid at the velocity in x.
  DeadTimes(const System& sys, double h, const Modes& modes, const double* x);

  // Sets the delayed velocities in x to those for the middle of the step that begins now.
  void look_ahead(std::int64_t step, double* x) const noexcept;
  // Stores the velocities now, and sets the delayed ones to those of one dead time before.
  void remember(std::int64_t step, const System& local, const Modes& modes, const double* s,
                double* x) noexcept;
  bool any() const { return !rings.empty(); }

private:
  const System& sys;
  List<Ring> rings;
};

} // namespace stickslip
