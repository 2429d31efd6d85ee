// Guards that fire within a base step, located on the path between its ends.
#pragma once

#include "realtime/base_step.hpp"

namespace stickslip {

class GuardLocation {
public:
  GuardLocation(const System& sys, const StepClock& clock, BaseStep& step, const PlannedModes& modes,
                const Moving& moving);

  void make_room(); // for the guards of all plans so far
  // Guards a time tau after the start of the base step, at this point.
  void evaluate_end(const StepPoint& p, double tau) noexcept {
    if (room < modes.most_guards()) make_room();
    step.guards(p, tau, at_end.data());
  }
  bool any_fired() const noexcept { return modes.plan->any_fired(at_end); }
  bool any_contact_met() const noexcept { return modes.plan->any_strikes(at_end); }

  // Moves to the first instant before the end at which one of them fires; met: contacts that are reached count alone, one
  // at a time.
  void move_to_first(double end, bool met) noexcept;
  // Fires at this instant: the first guard, and those equal to it within rounding.
  bool fires(Index guard) const noexcept;

  // No guard of these modes fires just after the present instant in a motion from x: the first nonzero of its value and
  // first two derivatives is negative. Unknown for modes without an exact flow: true.
  bool lasts(const Modes& modes, const double* x) noexcept;

private:
  const System& sys;
  const StepClock& clock;
  BaseStep& step;
  const PlannedModes& modes;
  const Moving& moving;
  List<double> at_start, at_end, at_first;
  Index room = 0;           // guards
  double least = 0.0;       // value that is fired at the first instant
  Vector point, rate, bend; // of (x, moving signals): for lasts()

  double locate(Index which, double end) noexcept;
  double refine(Index which, double tau, double end, double slope) noexcept;
};

} // namespace stickslip
