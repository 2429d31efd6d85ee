#include "run/advance.hpp"

#include "run/growth.hpp"
#include "run/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

Advance::Advance(PresentMachine& of, Stepper& by, Jam& with_jam, const Options& given)
    : end(of.sys.nx), machine(of), stepper(by), jam(with_jam), options(given) {}

void Advance::begin(bool timeless) {
  is_timeless = timeless;
  beyond.resize(0);
}

Advance::Halt Advance::take(State& state, double limit) {
  const Regime& r = machine.enter(state);
  stepper.take(r, state, limit, step);
  reach(state, limit);
  if (!within_numbers(end) && !stays_finite(state)) return Halt::not_finite;
  if (r.coupled && !r.affine && !stays_before_jam(state)) return Halt::jam;
  if (!step.fired.empty() || arrival.t > state.base_t) return Halt::none;
  return jam.is_at(&r, state.base_t, state.base_x) ? Halt::jam : Halt::steep;
}

void Advance::reach(double t, const Vector& x, const List<Guard>& fired, bool at_limit) {
  step.fired = fired;
  arrival = {t, 0.0, at_limit};
  end = x;
}

// Time and state at the end of the step.
void Advance::reach(const State& state, double limit) {
  const double t0 = state.base_t;
  double tau = step.end * step.h, rest = 0.0, t1 = t0 + tau;
  if (is_timeless) {
    const double length = tau + state.base_t_compensation;
    t1 = t0 + length;
    const double back = t1 - t0;
    rest = (t0 - (t1 - back)) + (length - back);
  } else if (step.end != 1.0) {
    tau = t1 - t0; // signals go by the time that is kept
  }
  const bool at_limit = std::isfinite(limit) && t1 >= limit - Schedule::one_instant * std::abs(limit);
  if (at_limit) {
    t1 = limit, rest = 0.0;
    if (step.end != 1.0) tau = (t1 - t0) - state.base_t_compensation;
    // A force that reaches its limit exactly at a breakpoint of a signal may reverse there: its value just after the
    // breakpoint decides, as for all others at this instant.
    std::erase_if(step.fired, [](const Guard& g) {
      return g.kind == GuardKind::breaks_away || g.kind == GuardKind::shared_limit ||
             g.kind == GuardKind::sharing_changes;
    });
  }
  arrival = {t1, rest, at_limit};
  if (step.stride != nullptr && tau != step.h) stepper.write_out(step);
  if (step.stride != nullptr)
    std::copy_n(step.stride->end(), end.size(), end.data());
  else if (step.h > 0.0)
    stepper.state_at(step, tau, end.data());
  else
    end = state.base_x;
}

// In place of the step its longest part whose end is good, to a thousandth of it; false where none is.
template <class Good> bool Advance::take_longest_part(State& state, int rounds, Good&& is_good) {
  constexpr double close = 1e-3;
  const double t0 = state.base_t;
  const auto take_part = [&](double part) {
    stepper.take(*machine.regime, state, t0 + part, step);
    reach(state, INFINITY);
  };
  double good = 0.0, bad = step.h;
  for (int round = 0; round < rounds && bad - good > close * good; ++round) {
    const double middle = 0.5 * (good + bad);
    if (!(t0 + middle > t0)) break;
    take_part(middle);
    (is_good() ? good : bad) = middle;
  }
  if (good > 0.0) take_part(good);
  return good > 0.0;
}

// The step leads beyond all numbers: as far as it does not.
bool Advance::stays_finite(State& state) {
  constexpr int rounds = 1100; // halvings from the greatest number to the smallest
  const auto is_good = [&] {
    const bool good = within_numbers(end);
    if (!good) beyond = end;
    return good;
  };
  beyond = end;
  if (!take_longest_part(state, rounds, is_good)) return false;
  if (!step.fired.empty()) beyond.resize(0); // the event may change the states concerned
  return true;
}

// If the sliding gain tends to zero normal forces grow without bound, possibly so slowly that a step crosses the zero:
// steps end before it, at decreasing distances.
bool Advance::stays_before_jam(State& state) {
  constexpr int rounds = 60;
  jam.begin_step(*machine.regime, state);
  const auto is_before = [&] { return jam.is_ahead(*machine.regime, arrival.t, end); };
  return is_before() || take_longest_part(state, rounds, is_before);
}

} // namespace stickslip
