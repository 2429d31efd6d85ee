// One step of the flow in a run, and where it leads to: not beyond the numbers, nor beyond a jam.
#pragma once

#include "flow/stepper.hpp"
#include "run/jam.hpp"
#include "run/present_machine.hpp"

namespace stickslip {

class Advance {
public:
  // Reason for which the run cannot go on behind a step.
  enum class Halt { none, not_finite, jam, steep };

  Advance(PresentMachine& machine, Stepper& stepper, Jam& jam, const Options& options);

  // `timeless`: nothing depends on time itself.
  void begin(bool timeless);
  // One step from state.base_t, not beyond `limit`. The state stays at its start.
  Halt take(State& state, double limit);
  // In place of a step: a motion from elsewhere that ends at t, with these guards.
  void reach(double t, const Vector& x, const List<Guard>& fired, bool at_limit);
  // The step up to t1 in polynomials, as far as the end of the run: use(t0, t1, step).
  template <class Use> void polynomials(const State& state, double t1, Use&& use) {
    if (step.columns > 0) return use(state.base_t, t1, step);
    double t = state.base_t;
    for (double offset = 0.0; t < t1 && t <= options.t_end;) {
      const Step part = stepper.expand(step, offset);
      offset += part.h;
      const double next = offset < step.h ? std::min(state.base_t + offset, t1) : t1;
      if (next > t) use(t, next, part);
      t = next;
    }
  }

  Step step;
  struct {
    double t = 0.0, rest = 0.0; // t + rest is the time to twice the digits
    bool at_limit = false;
  } arrival;
  Vector end;    // state at the arrival
  Vector beyond; // the next state; empty as long as it is finite

private:
  PresentMachine& machine;
  Stepper& stepper;
  Jam& jam;
  const Options& options;
  bool is_timeless = false;

  void reach(const State& state, double limit);
  template <class Good> bool take_longest_part(State& state, int rounds, Good&& is_good);
  bool stays_finite(State& state);
  bool stays_before_jam(State& state);
};

} // namespace stickslip
