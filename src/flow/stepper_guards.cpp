// Which guards fire in a step, from their polynomials, and which of them first.
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/tolerances.hpp"
#include "dynamics/tangent.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double never = 2.0;       // of a crossing: behind the end of the step
constexpr double integrated = 10.0; // tolerances by which an error of the motion may exceed its own

// A root of a polynomial that was taken to start at zero, moved to where it is zero with the start that it has.
double with_its_start(const double* c, Index degree, double theta) {
  constexpr double near = 1e-3;
  for (int round = 0; round < 3; ++round) {
    const auto [value, slope] = polynomial::value_slope(c, degree, theta);
    if (!(slope > 0.0 && std::abs(value) < near * slope * theta)) break;
    theta -= value / slope;
  }
  return theta;
}

} // namespace

// How large the terms are that a guard is the difference of, at the start of the step; 0: not known.
double Stepper::guard_size(const Regime& r, const State& state, Index k, FlowKind kind) const {
  const Guard& g = r.guards[k];
  if (g.kind == GuardKind::condition) return condition_sizes(g.condition);
  if (const Form* const form = r.guard_terms[k].form) return size_of(*form, state.nominal, s.data());
  if (is_exact(kind))
    return r.Gx.row(k).cwiseAbs().dot(state.base_x.cwiseAbs()) +
           r.Gs.row(k).cwiseAbs().dot(signal_series.col(0).cwiseAbs());
  if (g.kind != GuardKind::breaks_away && g.kind != GuardKind::limit_again) return 0.0;
  const Friction& p = sys.friction[g.friction];
  if (loading_contact(p) >= 0) return 0.0;
  const Interval l = stick_limits(sys, p, r.modes.friction[g.friction].load_stretch, state.base_t,
                                  state.base_x.data(), frame_signals.data(), nullptr);
  return 2.0 * (std::abs(l.lo) + std::abs(l.hi));
}

// What counts as zero at the start of a step for guard k, whose polynomial c has terms of this size altogether.
// What the last transition left at zero is decided by what comes after, not by rounding. whole: guard_size().
double Stepper::zero_at_start(const Regime& r, const State& state, Index k, FlowKind kind, const double* c,
                              double size, double whole) const {
  if (!state.after_transition) return tolerance::rounding * size;
  const Guard& g = r.guards[k];
  const Form* const form = r.guard_terms[k].form;
  double zero = tolerance::rest * size;
  double unknown = 0.0; // what an integrated motion up to the transition leaves
  switch (g.kind) {
  case GuardKind::slip_ends:
  case GuardKind::velocity_reversal:
  case GuardKind::surface_turns:
  case GuardKind::locks: {
    // As the transition counts rest, with a little more: elements on one body cannot all be put at rest exactly.
    const double speed = g.kind == GuardKind::locks ? size_of(*form, state.nominal, s.data())
                                                    : velocity_size(sys.friction[g.friction], state.nominal);
    zero = std::max(tolerance::rounding * size, 2.0 * tolerance::rest * speed);
    if (kind != FlowKind::exact) unknown = speed;
    break;
  }
  case GuardKind::
      closes: // what many impacts have left; the way of a long step says nothing of a gap that stands open
    if (c[0] <= 0.0)
      zero = tolerance::rest * std::min(size, gap_size(sys.contacts[g.contact], state.nominal, s.data()));
    zero = std::max(zero, tolerance::rounding * form->x.cwiseAbs().dot(state.nominal));
    break;
  case GuardKind::lifts_off: // all its terms may be zero here
    break;
  case GuardKind::touches:
  case GuardKind::leaves:
  case GuardKind::corner: // between large positions; where a force without a spring's own terms is none
    zero = std::max(zero, tolerance::rounding * size_of(*form, state.nominal, s.data()));
    if (kind != FlowKind::exact) unknown = form->x.cwiseAbs().dot(state.nominal);
    break;
  case GuardKind::saturation: // a controller whose input is at rest
    zero = std::max(zero, tolerance::rounding * (form->x.cwiseAbs().dot(state.base_x.cwiseAbs()) +
                                                 form->s.cwiseAbs().dot(s.cwiseAbs())));
    break;
  case GuardKind::condition:
    unknown = condition_sizes(g.condition);
    zero = std::max(zero, tolerance::rounding * unknown);
    break;
  default:
    if (whole > 0.0) zero = std::max(std::min(zero, tolerance::rest * whole), tolerance::rounding * whole);
  }
  // It was located no better, and goes away at once.
  return c[1] < 0.0 ? std::max({zero, tolerance::located * -c[1], integrated * options.rtol * unknown})
                    : zero;
}

// What a decision leaves of a margin or multiplier at zero says nothing of where it goes, and moves nothing either. Nor
// does rounding of what all of them come to in this step.
double Stepper::band(const Regime& r, const State& state, Index k) const {
  constexpr double wide = 4.0 * tolerance::rest; // more than a decision leaves
  const double size = sharing_size(sys, r, r.guards[k].limit, state.base_t, state.base_x.data(),
                                   frame_signals.data(), shared_force.data());
  return wide * std::max(size, tolerance::cancelled * shared_change);
}

// First crossing of a margin or multiplier of shared forces: one that starts within the band fires where it leaves it
// upwards, or, once it has left it downwards, at zero.
double Stepper::crossing_of_sharing(double* c, Index degree, double within, bool fresh,
                                    double& exceeds) const {
  const int n = static_cast<int>(degree);
  const auto first = [n](const double* p) {
    const Crossing found = first_crossing(p, n);
    return found.found ? found.theta : never;
  };
  exceeds = 0.0;
  const double start = c[0];
  if (start <= -within) return first(c);
  if (!fresh && start > within) return 0.0;
  std::array<double, guard_max_degree + 1> down;
  std::transform(c, c + degree + 1, down.begin(), [](double a) { return -a; });
  down[0] -= within;
  const double away = first(down.data());
  exceeds = within + std::max(start, 0.0);
  c[0] = start - exceeds;
  const double beyond = first(c);
  if (beyond <= away) return beyond;
  exceeds = 0.0;
  c[0] = start;
  polynomial::restrict_to_end(c, degree, away);
  return std::min(away + (1.0 - away) * first(c), never);
}

// A load may be below zero by as much as the motion is not known; beyond, it passes zero where it does so by itself.
double Stepper::crossing_of_load(const double* c, Index degree, double size) const {
  const double unknown = std::max(tolerance::rounding, integrated * options.rtol) * size;
  if (c[0] > unknown) return 0.0;
  const Crossing found = first_crossing(c, static_cast<int>(degree), GuardStart::as_is, unknown);
  return found.found ? found.theta : never;
}

// A velocity that starts the wrong way and turns at once, by less than rounding leaves of it: the transition has taken
// that for the right way (sign_after.hpp).
bool Stepper::only_touches(const double* c, const Friction& p, const State& state) const {
  const double least = tolerance::rounding * velocity_size(p, state.nominal);
  return c[1] > 0.0 && c[2] < 0.0 && c[1] * c[1] < -4.0 * c[2] * least;
}

// The same of a gap that begins to open with a rate as the transition counts it zero, or a little more: contacts and
// elements that stop together where a wall turns cannot all be put at rest exactly.
bool Stepper::only_touches(const double* c, const Contact& contact, const State& state, double h) const {
  return c[1] > 0.0 && c[2] < 0.0 &&
         c[1] < 2.0 * tolerance::rest * h * size_of(contact.rate, state.nominal, s.data());
}

// A gap that closed contacts beside it hold: its coefficients are what rounding makes of theirs.
bool Stepper::is_held(const Regime& r, const State& state, const Step& step, Index k, const double* c,
                      double size) const {
  const double known = tolerance::rounding * r.guard_terms[k].form->x.cwiseAbs().dot(state.nominal);
  const double share =
      std::min(step.h / state.time_scale, 1.0); // short flights go as far as their time allows
  return std::abs(c[0]) <= known && size - std::abs(c[0]) <= known * share * share;
}

// Of a guard that stands at zero behind a transition: what rounding and the last digits of t make of the lower terms
// decides nothing, the next one does. Of what has been integrated only the slope is known well enough.
void Stepper::clear_rounding(const Regime& r, const State& state, const Step& step, Index k, double* c,
                             Index degree, double size, double unresolved) const {
  const Guard& g = r.guards[k];
  const bool exact = is_exact(step.kind);
  for (Index j = 1; j < (exact ? degree : 2); ++j) {
    const double unknown = exact ? std::max(rounding(k, std::min<Index>(j, 2) - 1), guard_noise(size)) : 0.0;
    if (std::abs(c[j]) > std::max(unknown, static_cast<double>(j + 1) * unresolved * std::abs(c[j + 1])))
      break;
    c[j] = 0.0;
  }
  if (g.kind == GuardKind::slip_ends && step.kind == FlowKind::exact &&
      only_touches(c, sys.friction[g.friction], state))
    c[1] = 0.0;
  if (g.kind == GuardKind::closes && only_touches(c, sys.contacts[g.contact], state, step.h)) c[1] = 0.0;
}

// First crossing of guard k in this step, with its polynomial in c; > 1 if there is none.
double Stepper::crossing_of(const Regime& r, const State& state, const Step& step, Index k, double* c,
                            Index degree) {
  const bool fresh = state.after_transition;
  const GuardKind kind = r.guards[k].kind;
  double size = 0.0;
  for (Index j = 0; j <= degree; ++j) size += std::abs(c[j]);
  if (size == 0.0) return never;
  shift[k] = 0.0;
  if (kind == GuardKind::sharing_changes)
    return crossing_of_sharing(c, degree, band(r, state, k), fresh, shift[k]);
  if (kind == GuardKind::load_negative)
    return crossing_of_load(c, degree, std::max(size, load_sizes(r.guards[k].friction)));
  const double whole = guard_size(r, state, k, step.kind);
  const bool stays = kind == GuardKind::closes ? is_held(r, state, step, k, c, size)
                                               : size <= 2.0 * tolerance::rounding * whole;
  if (stays) return never; // at zero, as far as can be told
  const double zero = zero_at_start(r, state, k, step.kind, c, size, whole);
  // Nor does the place of the event within the last digits of t.
  const double unresolved = fresh ? tolerance::last_digits * std::abs(state.base_t) / step.h : 0.0;
  // A transition leaves no overlap but that of rounding, from which it has found the contact to part.
  const bool parts = fresh && kind == GuardKind::closes && c[0] > 0.0;
  const bool from_zero = parts || std::abs(c[0]) <= std::max(zero, unresolved * std::abs(c[1]));
  if (from_zero && fresh && degree >= 2) clear_rounding(r, state, step, k, c, degree, size, unresolved);
  const double noise = is_exact(step.kind) ? 0.0 : tolerance::rounding * size;
  const auto first = [&](GuardStart start) {
    return first_crossing(c, static_cast<int>(degree), start, noise);
  };
  Crossing found = first(from_zero ? GuardStart::zero : GuardStart::as_is);
  // Positive from the start although the transition should have prevented it.
  if (!found.found) return !from_zero && c[0] > 0.0 ? 0.0 : never;
  // Goes no farther before it turns back than an integrated motion is known.
  const auto is_shallow = [&] {
    return !is_exact(step.kind) && c[2] < 0.0 &&
           c[1] * c[1] <= -4.0 * c[2] * integrated * options.rtol * size;
  };
  // A velocity or load that departs from zero with a high power of time, or where the force has a vertical
  // tangent, may start on the wrong side in the interpolant; the transition has already found that it
  // departs, and the end of the step shows it. So does a bristle that begins at its limit, as one does that was sliding.
  const auto preslides = [&r](Index i) {
    return std::find(r.sliding.begin(), r.sliding.end(), i) != r.sliding.end();
  };
  const bool may_break_away =
      kind == GuardKind::breaks_away && !(fresh && is_shallow() && preslides(r.guards[k].friction));
  if (found.at_once && !is_exact(step.kind) && !may_break_away && polynomial::value(c, degree, 1.0) < 0.0)
    return never;
  // A gap that opens with a high power of time: what rounding left of its lower derivatives is taken out, and of the
  // first one what the interpolant is off by, if it comes back from no deeper than the motion is known.
  const auto is_noise = [&](Index j) {
    // Nor one that gives less than the last digits of a velocity within the machine's time: as where nothing acts.
    const bool idle =
        j == 2 && 2.0 * std::abs(c[2]) * state.time_scale <=
                      tolerance::last_digits * step.h * step.h *
                          size_of(sys.contacts[r.guards[k].contact].rate, state.nominal, s.data());
    return (j == 1 && is_shallow()) || idle || std::abs(c[j]) <= tolerance::entry * size;
  };
  if (fresh && kind == GuardKind::closes)
    for (Index j = 1; j <= 2 && found.at_once && is_noise(j); ++j) {
      c[j] = 0.0;
      found = first(GuardStart::zero);
    }
  if (!found.found) return never;
  const double* const whole_guard = guard_series.row(k).data();
  if (!found.at_once) {
    const bool counts = from_zero && is_exact(step.kind) && !parts;
    return counts ? with_its_start(whole_guard, degree, found.theta) : found.theta;
  }
  // The transition has seen that it still presses: so it does, as far as the time until it ends can be told.
  const bool ahead = fresh && is_exact(step.kind) && kind == GuardKind::lifts_off && whole_guard[1] > 0.0 &&
                     -whole_guard[0] > unresolved * whole_guard[1];
  return ahead ? with_its_start(whole_guard, degree, -whole_guard[0] / whole_guard[1]) : found.theta;
}

// Fills `crossing`; true if any guard fires in this step.
bool Stepper::find_crossings(const Regime& r, const State& state, const Step& step, Index degree) {
  bool any = false;
  shift.resize(r.guards.size());
  if (r.sharing.any()) {
    frame_signals = s, shared_force = force;
    signals_at(state.base_t, frame_signals.data());
    evaluate(sys, r, state.base_t, state.base_x.data(), frame_signals.data(), work.data(),
             shared_force.data(), scratch);
    shared_change = 0.0;
    for (Index k = 0; k < r.guards.size(); ++k)
      if (r.guards[k].kind == GuardKind::sharing_changes)
        shared_change = std::max(shared_change, guard_series.row(k).head(degree + 1).cwiseAbs().sum());
  }
  size_formulas(r, state);
  std::array<double, guard_max_degree + 1> c;
  for (Index k = 0; k < r.guards.size(); ++k) {
    std::copy_n(guard_series.row(k).data(), degree + 1, c.data());
    crossing[k] = crossing_of(r, state, step, k, c.data(), degree);
    any = any || crossing[k] <= 1.0;
  }
  return any;
}

// The earliest guard and all that fire with it.
void Stepper::collect(const Regime& r, const State& state, Step& step) {
  double first = 2.0;
  for (double th : crossing) first = std::min(first, th);
  step.end = first;
  const double together = first + same_instant(state) / step.h;
  for (Index k = 0; k < crossing.size(); ++k)
    if (crossing[k] <= std::min(together, 1.0)) step.fired.push_back(r.guards[k]); // 2: does not fire
}

} // namespace stickslip
