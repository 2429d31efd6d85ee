// Segments, instants and events of a run for its recorder.
#pragma once

#include "run/advance.hpp"
#include "run/recorder.hpp"

namespace stickslip {

class RunLog {
public:
  void begin(Recorder& to) { recorder = &to, last_start = {}; } // a run
  // The step that was taken from the state.
  void segment(PresentMachine& machine, Stepper& stepper, Advance& advance, const State& state, double t_end);
  // The step within which the run ends, where its motion has not been recorded.
  void last(PresentMachine& machine, Stepper& stepper, Advance& advance, const State& state);
  // The state at the end of the run, which holds for no time.
  void end(const Regime& r, double t, const Step& step, const Matrix& C);
  // An instant: the state before, and what came of it; returns the number of its events.
  void before(const State& state, const List<Guard>& fired, bool scheduled, bool breakpoint);
  void passed(const Jump& jump) {
    if (recorder->notes()) recorder->passed(instant, jump);
  }
  std::int64_t emit(const System& sys, const Jump& jump, State& state);
  // Time since the start of the last segment, of which there is one.
  bool any() const { return last_start.any; }
  double since_start(double t) const { return (t - last_start.t) - last_start.rest; }

private:
  Recorder* recorder = nullptr;
  List<Event> events; // of one instant
  Passage instant;    // that is being passed, where somebody wants to know
  struct {
    bool any = false;
    double t = 0.0, rest = 0.0;
  } last_start; // of the last segment
};

} // namespace stickslip
