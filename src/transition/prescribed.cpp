#include "transition/prescribed.hpp"

#include "core/tolerances.hpp"
#include "transition/automaton_states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr int terms =
    2 * (signal_max_degree + 1); // of a series: more than a polynomial and a harmonic can cancel

// Time within which the signals of a form change: to their next breakpoint, at most the reciprocal of a frequency.
double pace_of(const Instant& at, const Vector& form) {
  double pace = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < form.size(); ++k) {
    if (form(k) == 0.0) continue;
    const Signal& s = at.sys.signals[k];
    pace = std::min(pace, next_breakpoint(s, at.t) - at.t);
    for (const Harmonic& h : piece_at(s, at.t).piece->harmonics)
      if (h.omega != 0.0) pace = std::min(pace, 1.0 / std::abs(h.omega));
  }
  return std::isfinite(pace) ? pace : std::max(std::abs(at.t), at.state->time_scale);
}

} // namespace

// The first Taylor coefficient, over the time within which the signals change, that is more than the rounding error of
// the greatest one.
int prescribed_side(const Instant& at, Index element) {
  const Vector& form = at.sys.friction[element].velocity.s;
  std::array<double, terms> sum{}, one{};
  double size = 0.0, power = 1.0;
  const double pace = pace_of(at, form);
  for (Index k = 0; k < form.size(); ++k) {
    if (form(k) == 0.0) continue;
    taylor(at.sys.signals[k], at.t, terms, one.data());
    power = 1.0;
    for (int j = 0; j < terms; ++j, power *= pace) {
      sum[j] += form(k) * one[j] * power;
      size = std::max(size, std::abs(form(k) * one[j]) * power);
    }
  }
  for (const double term : sum)
    if (std::abs(term) > tolerance::event_zero * size) return term > 0.0 ? 1 : -1;
  return 0;
}

void follow_prescribed(Instant& at, Index element, bool away, bool begins) {
  FrictionMode& now = at.mode(element);
  const int side = !away ? prescribed_side(at, element) : at.v(element) > 0.0 ? 1 : -1;
  if (begins)
    now.enter(Mode::stick);
  else if (now.slips())
    start_clock(at.sys.friction[element], now.direction(), at.load(element), at.t, at.x());
  const int last = now.force_side();
  if (side != 0) {
    now.mode = slip(side);
    now.hold = Hold::by_limit;
  } else {
    now.mode = Mode::stick;
    now.hold = last != 0 ? after_slip(last) : Hold::by_limit;
  }
}

} // namespace stickslip
