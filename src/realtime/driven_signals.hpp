// Signals that move during or between steps: functions of time and inputs, as far as anything depends on them.
#pragma once

#include "realtime/real_time_plan.hpp"
#include "realtime/step_clock.hpp"
#include "realtime/step_point.hpp"

#include <string>

namespace stickslip {

class DrivenSignals {
public:
  struct Seen {
    bool jumped = false, clipped = false; // some signal; some normal load
  };

  struct Drive {
    Index signal, input; // input: -1 if it has none
    bool jumps, whole;   // whole: one piece, no input
    int degree;          // of that piece
    bool load;           // the normal load of a friction element
  };

  DrivenSignals(const System& sys, double t0);

  const List<std::string>& inputs() const { return names; }
  const Vector& input_values() const { return values; }
  const Moving& moving() const { return which; }
  const List<Drive>& list() const { return drives; }
  const Vector& at_start() const { return first; } // of all signals

  // At both ends of the step. A discontinuous signal keeps its piece to the end of the step and jumps between two steps.
  Seen sample(const double* given, const StepClock& clock, StepPoint& a) noexcept;
  // Of a form by its signals, between the last step and this one.
  double jump(const Form& form, const StepPoint& a) const noexcept;

private:
  const System& sys;
  List<std::string> names;
  Vector values, first, before;
  Moving which;
  List<Drive> drives;

  void find_inputs(double t0);
  void find_moving();
  bool clip_load(Index drive, StepPoint& a) const noexcept;
};

} // namespace stickslip
