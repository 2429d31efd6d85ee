#include "run/conclusion.hpp"

#include "expression/text.hpp"
#include "model/smooth.hpp"
#include "run/growth.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stickslip {

void Conclusion::begin(const State& state) {
  out = {};
  ended = false;
  t_begin = state.t;
  size_before = state.nominal;
  notes.clear();
}

void Conclusion::finish(Status status, double at, std::string message) {
  out.status = status;
  out.message = std::move(message) + notes;
  t = at;
  ended = true;
}

void Conclusion::fail(Status status, const State& state, std::string reason) {
  if (too_large_to_square(state.base_x))
    reason = leaves_numbers(sys, state.base_t, state.base_x, Vector::Constant(sys.nx, INFINITY), size_before);
  else if (const std::string growth = grown(sys, state.nominal, size_before); !growth.empty())
    reason += "; " + growth;
  finish(status, time_of(state), std::move(reason));
}

void Conclusion::no_longer_finite(const State& state, const Vector& beyond) {
  const double at = time_of(state);
  finish(Status::stalled, at, leaves_numbers(sys, at, state.base_x, beyond, size_before));
}

namespace {

// Message if no combination of modes holds.
std::string without_answer(const System& sys, const Jump& jump, const std::string& when) {
  constexpr Index most_names = 8;
  if (!jump.undefined.empty()) return jump.undefined + when;
  if (jump.facing >= 0) {
    const Tape& tape = sys.smooth->tape;
    return "a formula jumps where " + text(tape, tape.conditions[jump.facing]) +
           " passes zero, and the motion on both sides leads back there" + when +
           ": a formula cannot represent stick; use add_friction";
  }
  std::string said = "no admissible combination of modes was found" + when;
  said += jump.none_exists ? "; all were tried: there is none" : "; not proven: there may be one";
  if (jump.unresisting >= 0)
    said +=
        "; modes were refused in which the sliding gain of '" + sys.contacts[jump.unresisting].name +
        "' is zero: with its friction the contact has no resistance, and its normal force is indeterminate";
  if (jump.touching.empty()) return said;
  said += "; touching:";
  for (Index k = 0; k < std::min(jump.touching.size(), most_names); ++k)
    said += (k == 0 ? " " : ", ") + sys.contacts[jump.touching[k]].name;
  return said + (jump.touching.size() > most_names ? ", ..." : "");
}

} // namespace

void Conclusion::fail_undecided(const Jump& jump, const State& state, bool at_start) {
  const Status status = jump.undefined.empty() ? Status::no_solution : Status::failed;
  if (at_start)
    finish(status, state.base_t, without_answer(sys, jump, " at the start"));
  else
    fail(status, state, without_answer(sys, jump, ""));
}

} // namespace stickslip
