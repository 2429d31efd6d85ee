// All changes at one instant after the motion in a regime, in their order: outputs of sampled controllers, limits of
// continuous ones, impacts, modes of friction and contacts.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

#include <memory>

namespace stickslip {

class Corners;
class QuickTransition;
class Sampler;
class Tangent;

// Thresholds.
struct Cutoffs {
  double rebound =
      1e-9; // relative to the greatest speed of the contact: slower rebounds are treated as plastic
  double overlap = 1e-8; // relative to the size of a gap: a smaller overlap at the start is a rounding error
};

// (dynamics, state, fired) -> Jump. Changes modes and, where velocities are set exactly, x, at state.base_t. Made once
// per run; the returned jump is valid until the next call.
class Transition {
public:
  // `at`: if sys is the tangent of a nonlinear machine, which moves with the state; else null.
  Transition(const System& sys, RegimeCache& cache, const Cutoffs& cutoffs = {}, Tangent* at = nullptr);
  ~Transition();

  // The first instant of a run. `sampled`: sampled controllers run if they are due.
  const Jump& start(State& state, bool sampled);
  // After motion in `regime` that ended by `fired` or by a schedule: the next sampling instant or breakpoint of a
  // signal.
  const Jump& after(const Regime& regime, State& state, const List<Guard>& fired);
  // `present`: the regime, if known.
  const Jump& scheduled(State& state, const List<Guard>& fired, bool breakpoint,
                        const Regime* present = nullptr);
  // After BudgetExhausted from after() or scheduled(): restores the state before the call.
  void take_back(State& state);

  bool samples() const;                                   // there are sampled controllers
  double next_sampling_instant(const State& state) const; // infinity without them
  void signals_changed();                                 // constant signals have new values

private:
  struct Decision; // decision of the instant, with its memory

  const System& sys;
  RegimeCache& cache;
  Tangent* here;
  Scratch scratch;                  // used by all of these in turn
  std::unique_ptr<Corners> corners; // null without conditions in formulas
  std::unique_ptr<Decision> decision;
  std::unique_ptr<QuickTransition> quick;
  std::unique_ptr<Sampler> sampler;
  Jump jump;
  bool unfinished = false;       // after() or scheduled() has started and not returned
  SamplingState sampling_before; // jump.sampled: before the sampled controllers ran

  void look(const State& state);
  void change_modes(State& state, bool forces_jump = false);
  bool goes_on(State& state, bool forces_jump);
  void decide(State& state, const List<Guard>& fired);
  bool settle(List<Guard> fired);
  bool choose(const List<Guard>& fired);
  bool strike_where_something_slides();
  const Jump& finish(State& state);
};

} // namespace stickslip
