// The loop of a run: step, transition, repeat. What becomes of segments and events is the recorder's
// business, so that long runs and ensembles need not keep them.
#pragma once

#include "core/budget.hpp"
#include "core/list.hpp"
#include "dynamics/state.hpp"
#include "dynamics/tangent.hpp"
#include "flow/stepper.hpp"
#include "run/recorder.hpp"
#include "transition/transition.hpp"

#include <limits>
#include <memory>
#include <string>

namespace stickslip {

// Sized once; serves many runs of the same system.
class Runner {
public:
  Runner(const System& sys, RegimeCache& cache, const Options& options);

  // From state.t to options.t_end; `state` becomes that at the end, state.t the time that was reached.
  Outcome run(State& state, Recorder& recorder, const Stop& stop);

  // Constant signals of the system have got new values.
  void signals_changed();

private:
  // Of a machine that is not linear `sys` is the tangent that moves with the state, and `cache` holds what is true there.
  std::unique_ptr<Tangent> here;
  RegimeCache own;
  const System& machine;
  RegimeCache& kept; // regimes that segments of a run refer to
  const System& sys;
  RegimeCache& cache;
  const Options& options;
  Stepper stepper;
  Transition transition;
  Step step;
  Scratch probe;
  double side = 0.0;  // sign of the coupling of friction and normal forces, once it is known
  List<Event> events; // of one instant

  // Of the present run.
  State* state = nullptr;
  Recorder* recorder = nullptr;
  Outcome out;
  bool ended = false;
  double t_begin = 0.0, reached = 0.0; // reached: where the run has ended
  Vector size_before;                  // size of each state at the start
  std::int64_t evaluated = 0;
  bool timeless = false;          // nothing depends on time itself
  const Regime* regime = nullptr; // of the present modes
  double breakpoint = 0.0;        // the next one of a signal
  double next_tick = 0.0;         // of a sampled controller
  int transitions_at_one_time = 0, impacts_at_one_time = 0;
  struct {
    bool any = false;
    double t0 = 0.0, rest = 0.0;
  } recorded;                   // start of the last segment
  struct {                      // of the present step
    double t = 0.0, rest = 0.0; // t + rest is the time to twice the digits
    double tau = 0.0;           // since the start of the step
    bool at_limit = false;      // at a breakpoint or tick
  } arrival;
  bool parted = false;         // what is held moves apart there
  int returned = Past::smooth; // lowest derivative of a velocity that jumped one dead time before the arrival
  Vector end;                  // state at the arrival
  std::string notes;           // on the start, for the message
  Passage noted;               // the instant that is being passed, where somebody wants to know
  Modes modes_before;          // the same, where something follows delayed motion
  Vector beyond;               // what it would become behind; empty as long as that is finite

  const Regime& lasting(const Regime& r);
  void look();
  std::string undefined();
  void begin(State& state, Recorder& recorder);
  void start();
  void go_on();
  void give_up(const BudgetExhausted& how);
  double next_instant();
  void advance(double limit);
  void reach(double limit);
  template <class Good> bool take_longest_part(int rounds, Good&& is_good);
  void shorten();
  double coupling(double t, const Vector& x);
  void stay_before_jam();
  bool jams(double t, const Vector& x);
  std::string jam();
  bool ends_at_negative_load();
  void record();
  void meet_constraints(Vector& x, double t);
  bool arrive();
  void change();
  bool goes_round(bool loses);
  bool still_finite();
  void no_longer_finite();
  void note(bool scheduled, bool breakpoint);
  void tell(const Jump& jump);
  void finish(Status status, double t, std::string message);
  void leave_state();
  std::string why(std::string text) const;
  // The step up to t1 in polynomials, as far as the end of the run: use(t0, t1, step).
  template <class Use> void polynomials(double t1, Use&& use);
};

} // namespace stickslip
