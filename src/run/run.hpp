// The loop of a run: step, transition, repeat. What becomes of segments and events is the recorder's
// business, so that long runs and ensembles need not keep them.
#pragma once

#include "core/budget.hpp"
#include "flow/stepper.hpp"
#include "run/advance.hpp"
#include "run/conclusion.hpp"
#include "run/jam.hpp"
#include "run/present_machine.hpp"
#include "run/run_log.hpp"
#include "run/schedule.hpp"
#include "transition/transition.hpp"

#include <functional>

namespace stickslip {

// Sized once; serves many runs of the same system.
class Runner {
public:
  Runner(const System& sys, RegimeCache& cache, const Options& options);
  Runner(const Runner&) = delete; // its parts refer to each other

  // From state.t to options.t_end; `state` becomes that at the end, state.t the time that was reached.
  Outcome run(State& state, Recorder& recorder, const Stop& stop);

  // For a motion that somebody else integrates in the regime of state.modes. The next breakpoint or sampling instant after
  // state.base_t, infinite if there is none; and all that happens at `t`, which the motion has reached at `x` with these
  // guards fired: state.base_x and state.modes become those behind it, where no guard fires until options.t_end.
  double next_instant(const State& state);
  Outcome decide(State& state, double t, const Vector& x, const List<Guard>& fired, Recorder& recorder);

  // Constant signals of the system have got new values.
  void signals_changed();

private:
  const Options& options;
  PresentMachine machine;
  Stepper stepper;
  Transition transition;
  Schedule schedule;
  Jam jam;
  Advance advance;
  RunLog log;
  Conclusion conclusion;

  // State of the present run.
  State* state = nullptr;
  std::int64_t evaluated = 0; // before it
  int transitions_at_one_time = 0, impacts_at_one_time = 0;
  // At the end of the present step.
  bool parted = false;         // surfaces of a held element separate there
  int returned = Past::smooth; // lowest derivative of a velocity that jumped one dead time before
  Modes modes_before;          // where something follows delayed motion

  void begin(State& state, Recorder& recorder);
  Outcome within_budget(const Stop& stop, const std::function<void()>& first);
  void start();
  void go_on();
  bool arrive();
  void change();
  void follow(const Jump& jump, bool event);
  bool ends_at_negative_load();
  bool goes_round(bool loses);
  bool still_finite();
  void halt(Advance::Halt why);
  void give_up(const BudgetExhausted& how);
  void leave_state();
};

} // namespace stickslip
