// What comes after the motion within one mode: everything that may change at one instant, in its order. Outputs of
// sampled controllers, limits of continuous ones, impacts, modes of friction and contacts.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

#include <memory>

namespace stickslip {

class Corners;
class QuickTransition;
class Sampler;
class Tangent;

// What is too small to count.
struct Cutoffs {
  double rebound = 1e-9; // share of the greatest speed a contact has seen: slower rebounds are none
  double overlap = 1e-8; // share of the size of a gap: at the start it is taken for rounding
};

// (dynamics, state, fired) -> Jump. Changes modes and, where velocities are set exactly, x, at state.base_t. Made once
// per run; what it returns holds until the next call.
class Transition {
public:
  // `at`: where sys is the tangent of a machine that is not linear, which moves with the state; else null.
  Transition(const System& sys, RegimeCache& cache, const Cutoffs& cutoffs = {}, Tangent* at = nullptr);
  ~Transition();

  // The first instant of a run. `ticks`: sampled controllers run if they are due.
  const Jump& start(State& state, bool ticks);
  // After motion in `regime` that `fired` has ended, or a schedule: the next tick or a breakpoint of a signal.
  const Jump& after(const Regime& regime, State& state, const List<Guard>& fired);
  // `present`: the regime, where it is known.
  const Jump& scheduled(State& state, const List<Guard>& fired, bool breakpoint,
                        const Regime* present = nullptr);
  // After BudgetExhausted came out of after() or scheduled(): the state as it was before.
  void take_back(State& state);

  bool samples() const;                       // there are sampled controllers
  double next_tick(const State& state) const; // infinity without them
  void signals_changed();                     // constant ones have got new values

private:
  struct Decision; // what is decided at the instant, and its room

  const System& sys;
  RegimeCache& cache;
  Tangent* here;
  Scratch scratch;                  // of all of these, one after the other
  std::unique_ptr<Corners> corners; // where formulas have any
  std::unique_ptr<Decision> decision;
  std::unique_ptr<QuickTransition> quick;
  std::unique_ptr<Sampler> sampler;
  Jump jump;
  bool unfinished = false; // after() or scheduled() has begun
  Ticks ticks_before;      // jump.sampled: before the sampled controllers ran

  void look(const State& state);
  void change_modes(State& state, bool forces_jump = false);
  bool goes_on(State& state, bool forces_jump);
  void decide(State& state, const List<Guard>& fired);
  bool settle(List<Guard> fired);
  bool strike_where_something_slides();
  const Jump& finish(State& state);
};

} // namespace stickslip
