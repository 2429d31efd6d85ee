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

} // namespace

// Size of the terms whose difference a guard is, at the start of the step; 0: unknown.
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

// Threshold for zero at the start of a step for guard k, whose polynomial c has terms of this total size. Values that
// the last transition left at zero are decided by higher coefficients, not by rounding. whole: guard_size().
double Stepper::zero_at_start(const Regime& r, const State& state, Index k, FlowKind kind, const double* c,
                              double size, double whole) const {
  const Guard& g = r.guards[k];
  // A velocity that a decision did not find to be zero is not zero.
  const bool moves = kind == FlowKind::exact && !state.zeros.empty() && g.kind == GuardKind::slip_ends;
  if (!state.after_transition || moves) return tolerance::rounding * size;
  // As the transition counts rest, with a little more: elements on one body cannot all be put at rest exactly. The way of
  // a long step says nothing of anything else that is apart.
  double zero = tolerance::rest * size;
  if (g.traits().value == GuardValue::velocity)
    zero = std::max(tolerance::rounding * size, 2.0 * tolerance::rest * whole);
  else if (whole > 0.0)
    zero = std::max(tolerance::rest * std::min(size, whole), tolerance::rounding * whole);
  // It was located no more accurately, and leaves zero at once; a gap has been closed.
  const bool known = kind == FlowKind::exact || g.kind == GuardKind::closes;
  const double unknown = known ? 0.0 : integrated * options.rtol * whole;
  return c[1] < 0.0 ? std::max({zero, tolerance::located * -c[1], unknown}) : zero;
}

// Threshold for margins and multipliers: values that a decision left at zero carry no information, nor do rounding
// errors of their sum in this step.
double Stepper::band(const Regime& r, const State& state, Index k) const {
  constexpr double wide = 4.0 * tolerance::rest; // more than a decision leaves
  const double size = sharing_size(sys, r, r.guards[k].limit, state.base_t, state.base_x.data(),
                                   frame_signals.data(), shared_force.data());
  return wide * std::max(size, tolerance::cancelled * shared_change);
}

// First crossing of a guard whose sign at the start is not known, such as a margin or multiplier of shared forces: within a
// band around zero it fires where it leaves the band upwards, or, once it has left it downwards, at zero.
double Stepper::crossing_watched(double* c, Index degree, double within, bool fresh, double& exceeds) const {
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

// A gap that begins to open with a rate as the transition counts it zero, or a little more: contacts and
// elements that stop together where a wall turns cannot all be put at rest exactly.
bool Stepper::only_touches(const double* c, const Contact& contact, const State& state, double h) const {
  return c[1] > 0.0 && c[2] < 0.0 &&
         c[1] < 2.0 * tolerance::rest * h * size_of(contact.rate, state.nominal, s.data());
}

// A guard that, by a decision, starts with this number of zero coefficients: it starts negative by the next one, and
// fires after the zero at the start. If its sign is unknown its value is monitored.
double Stepper::crossing_as_decided(double* c, Index degree, Index zeros, double within,
                                    double& exceeds) const {
  if (zeros > degree || !(c[zeros] < 0.0)) return crossing_watched(c, degree, within, true, exceeds);
  const Crossing found = first_crossing(c + zeros, static_cast<int>(degree - zeros));
  return found.found ? found.theta : never;
}

// For a guard that is zero after a transition: coefficients below rounding and the error of t do not decide; the next
// one does. For integrated motion only the slope is known accurately enough.
void Stepper::clear_rounding(const Guard& g, const State& state, const Step& step, double* c, Index degree,
                             double size) const {
  const bool exact = is_exact(step.kind);
  const double rounding = exact ? guard_noise(size) : 0.0;
  for (Index j = 1; j < (exact ? degree : std::min<Index>(degree, 2)); ++j) {
    const double passing = static_cast<double>(j + 1) * last_digits(state, step) * std::abs(c[j + 1]);
    if (std::abs(c[j]) > std::max(rounding, passing)) break;
    c[j] = 0.0;
  }
  if (g.kind == GuardKind::closes && degree >= 2 && only_touches(c, sys.contacts[g.contact], state, step.h))
    c[1] = 0.0;
}

// A gap that opens with a high power of time: removes rounding errors of its lower derivatives, and the error of the
// interpolant in the first one, if it returns from within the accuracy of the motion.
Crossing Stepper::crossing_of_opening(double* c, Index degree, FlowKind kind, double size,
                                      double noise) const {
  const auto is_noise = [&](Index j) {
    const bool shallow = j == 1 && !is_exact(kind) && c[2] < 0.0 &&
                         c[1] * c[1] <= -4.0 * c[2] * integrated * options.rtol * size;
    return shallow || std::abs(c[j]) <= tolerance::entry * size;
  };
  Crossing found{.found = true, .at_once = true};
  for (Index j = 1; j <= 2 && found.at_once && is_noise(j); ++j) {
    c[j] = 0.0;
    found = first_crossing(c, static_cast<int>(degree), GuardStart::zero, noise);
  }
  return found;
}

// First crossing of a guard whose start no decision has determined.
double Stepper::crossing_undecided(const Regime& r, const State& state, const Step& step, Index k, double* c,
                                   Index degree, double size, double whole) const {
  const bool fresh = state.after_transition, gap = r.guards[k].kind == GuardKind::closes;
  const double zero = zero_at_start(r, state, k, step.kind, c, size, whole);
  // A transition leaves no overlap but that of rounding, from which it has found the contact to part.
  const bool parts = fresh && gap && c[0] > 0.0;
  const double unresolved = fresh ? last_digits(state, step) * std::abs(c[1]) : 0.0;
  const bool from_zero = parts || std::abs(c[0]) <= std::max(zero, unresolved);
  if (fresh && from_zero) clear_rounding(r.guards[k], state, step, c, degree, size);
  const double noise = is_exact(step.kind) ? 0.0 : tolerance::rounding * size;
  Crossing found =
      first_crossing(c, static_cast<int>(degree), from_zero ? GuardStart::zero : GuardStart::as_is, noise);
  // Positive from the start although the transition should have prevented it.
  if (!found.found) return !from_zero && c[0] > 0.0 ? 0.0 : never;
  // A velocity or load that departs from zero with a high power of time, or with a vertical tangent of the force, may
  // start on the wrong side in the interpolant; the transition has already found that it departs, and the end of the
  // step shows it. The same holds for a bristle that begins at its limit, after sliding. A seat that is passed within
  // rounding after another event counts as passed.
  const bool leaves = r.guards[k].kind != GuardKind::reaches_seat && !is_exact(step.kind);
  if (found.at_once && leaves && polynomial::value(c, degree, 1.0) < 0.0) return never;
  if (found.at_once && fresh && gap) found = crossing_of_opening(c, degree, step.kind, size, noise);
  return found.found ? found.theta : never;
}

// First crossing of guard k in this step, with its polynomial in c; > 1 if there is none.
double Stepper::crossing_of(const Regime& r, const State& state, const Step& step, Index k, double* c,
                            Index degree) {
  const Guard& g = r.guards[k];
  double size = 0.0;
  for (Index j = 0; j <= degree; ++j) size += std::abs(c[j]);
  if (size == 0.0) return never;
  shift[k] = 0.0;
  if (g.kind == GuardKind::sharing_changes)
    return crossing_watched(c, degree, band(r, state, k), state.after_transition, shift[k]);
  if (g.kind == GuardKind::load_negative)
    return crossing_of_load(c, degree, std::max(size, load_sizes(g.friction)));
  const bool gap = g.kind == GuardKind::closes;
  const double whole =
      gap ? gap_size(sys.contacts[g.contact], state.nominal, s.data()) : guard_size(r, state, k, step.kind);
  if (!gap && size <= 2.0 * tolerance::rounding * whole) return never; // zero within rounding
  const Index zeros = state.after_transition && k < state.zeros.size() ? state.zeros[k] : -1;
  if (zeros >= 0 && (step.kind == FlowKind::exact || zeros > degree))
    return crossing_as_decided(c, degree, zeros, 4.0 * tolerance::rest * std::max(whole, size), shift[k]);
  std::fill_n(c, std::clamp<Index>(zeros, 0, 3), 0.0); // the interpolant does not resolve them
  return crossing_undecided(r, state, step, k, c, degree, size, whole);
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
