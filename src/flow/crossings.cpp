#include "flow/crossings.hpp"

#include "core/polynomial.hpp"
#include "core/tolerances.hpp"
#include "dynamics/regime_parts.hpp"
#include "dynamics/tangent.hpp"
#include "model/relay_form.hpp"

#include <array>

namespace stickslip {

namespace {

// Of the terms of a guard that a decision has left at zero, a little more than it leaves: its sign is not known.
constexpr double undecided = 4.0 * tolerance::residual;

// Uncertainty of an instant, as a part of the step that begins there.
double last_digits(const State& state, const Step& step) {
  return tolerance::last_digits * std::abs(state.base_t) / step.h;
}

double theta_of(const Crossing& found) {
  return found.found ? found.theta : Crossings::never;
}

} // namespace

Crossings::Crossings(const System& system, const Options& given, RightHandSide& right_hand_side,
                     const GuardPolynomials& of)
    : sys(system), options(given), rhs(right_hand_side), series(of), xdot(Vector::Zero(system.nx)) {}

double Crossings::Course::first() const {
  return theta_of(first_crossing(c, static_cast<int>(degree)));
}

void Crossings::size_formulas(const Regime& r, const State& state) {
  if (!r.modes.sides.empty())
    condition_sizes = rhs.tangent().formulas.condition_sizes(state.nominal, state.time_scale);
  if (sys.smooth && !sys.smooth->loads.empty())
    load_sizes = rhs.tangent().formulas.load_sizes(state.nominal, state.time_scale);
}

double Crossings::size_of_formula(const Guard& g, const State& state) const {
  if (g.kind == GuardKind::closes)
    return gap_size(sys.contacts[g.contact], state.nominal, rhs.signals.now.data());
  if (g.kind == GuardKind::condition) return condition_sizes(g.condition);
  return g.kind == GuardKind::load_negative ? load_sizes(g.friction) : 0.0;
}

// Size of the terms whose difference a guard is, at the start of the step; 0: unknown.
double Crossings::guard_size(const Regime& r, const State& state, Index k, FlowKind kind) const {
  const Guard& g = r.guards[k];
  if (g.kind == GuardKind::condition || g.kind == GuardKind::closes) return size_of_formula(g, state);
  if (const Form* const form = r.guard_terms[k].form) {
    // Switchings of relays and passages of a seat accumulate: an exact motion knows each to the rounding error of the
    // present terms.
    const bool accumulates =
        g.kind == GuardKind::reaches_seat || (g.friction >= 0 && is_relay(sys.friction[g.friction]));
    const bool present = accumulates && is_exact(kind);
    return size_of(*form, present ? Vector(state.base_x.cwiseAbs()) : state.nominal, rhs.signals.now.data());
  }
  if (is_exact(kind))
    return r.Gx.row(k).cwiseAbs().dot(state.base_x.cwiseAbs()) +
           r.Gs.row(k).cwiseAbs().dot(rhs.signals.series.col(0).cwiseAbs());
  if (g.kind != GuardKind::breaks_away && g.kind != GuardKind::limit_again) return 0.0;
  const Friction& p = sys.friction[g.friction];
  if (loading_contact(p) >= 0) return 0.0;
  const Interval l = stick_limits(sys, p, r.modes.friction[g.friction].load_stretch, state.base_t,
                                  state.base_x.data(), rhs.signals.start.data(), nullptr);
  return 2.0 * (std::abs(l.lo) + std::abs(l.hi));
}

// Threshold for zero at the start of a step for a guard with terms of the size `whole`. Values that the last transition
// left at zero are decided by higher coefficients, not by rounding.
double Crossings::zero_at_start(const Guard& g, const State& state, FlowKind kind, const Course& course,
                                double whole) const {
  const double size = course.size;
  // A velocity that a decision did not find to be zero is not zero.
  const bool moves = kind == FlowKind::exact && !state.zeros.empty() && g.kind == GuardKind::slip_ends;
  if (!state.after_transition || moves) return tolerance::rounding * size;
  // As the transition counts rest, with a little more: elements on one body cannot all be put at rest exactly. The way of
  // a long step says nothing of anything else that is apart.
  double zero = tolerance::residual * size;
  if (g.traits().value == GuardValue::velocity)
    zero = std::max(tolerance::rounding * size, 2.0 * tolerance::residual * whole);
  else if (whole > 0.0)
    zero = std::max(tolerance::residual * std::min(size, whole), tolerance::rounding * whole);
  // It was located no more accurately, and leaves zero at once; a gap has been closed.
  const bool known = kind == FlowKind::exact || g.kind == GuardKind::closes;
  const double unknown = known ? 0.0 : tolerance::integrated * options.rtol * whole;
  const double slope = course.c[1];
  return slope < 0.0 ? std::max({zero, tolerance::located * -slope, unknown}) : zero;
}

// Threshold for margins and multipliers: values that a decision left at zero carry no information, nor do rounding
// errors of their sum in this step, nor forces due to the error of an integrated motion.
double Crossings::band(const Regime& r, const State& state, Index k) const {
  const double size = sharing_size(sys, r, r.guards[k].limit, state.base_t, state.base_x.data(),
                                   rhs.signals.start.data(), shared_force.data());
  return std::max(undecided * std::max(size, tolerance::cancelled * shared_change), shared_error);
}

namespace {

// First crossing of a guard whose sign at the start is not known, such as a margin or multiplier of shared forces: within a
// band around zero it fires where it leaves the band upwards, or, once it has left it downwards, at zero.
double crossing_watched(double* c, Index degree, double within, bool fresh, double& exceeds) {
  const auto first = [degree](const double* p) {
    return theta_of(first_crossing(p, static_cast<int>(degree)));
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
  return std::min(away + (1.0 - away) * first(c), Crossings::never);
}

// A guard that, by a decision, starts with this number of zero coefficients: it starts negative by the next one, and
// fires after the zero at the start. If its sign is unknown its value is monitored.
double crossing_as_decided(double* c, Index degree, Index zeros, double within, double& exceeds) {
  if (zeros > degree || !(c[zeros] < 0.0)) return crossing_watched(c, degree, within, true, exceeds);
  return theta_of(first_crossing(c + zeros, static_cast<int>(degree - zeros)));
}

} // namespace

// A load may be below zero by as much as the motion is not known; beyond, it passes zero where it does so by itself.
double Crossings::crossing_of_load(const Course& course, double size) const {
  const double unknown = std::max(tolerance::rounding, tolerance::integrated * options.rtol) * size;
  if (course.c[0] > unknown) return 0.0;
  return theta_of(first_crossing(course.c, static_cast<int>(course.degree), GuardStart::as_is, unknown));
}

// A gap that begins to open with a rate as the transition counts it zero, or a little more: contacts and
// elements that stop together where a wall turns cannot all be put at rest exactly.
bool Crossings::only_touches(const Course& course, const Contact& contact, const State& state,
                             double h) const {
  return course.c[1] > 0.0 && course.c[2] < 0.0 &&
         course.c[1] <
             2.0 * tolerance::residual * h * size_of(contact.rate, state.nominal, rhs.signals.now.data());
}

// For a guard that is zero after a transition: coefficients below rounding and the error of t do not decide; the next
// one does. For integrated motion only the slope is known accurately enough.
void Crossings::clear_rounding(const Guard& g, const State& state, const Step& step,
                               const Course& course) const {
  const bool exact = is_exact(step.kind);
  const auto [c, degree, size] = course;
  const double rounding = exact ? guard_noise(size) : 0.0;
  for (Index j = 1; j < (exact ? degree : std::min<Index>(degree, 2)); ++j) {
    const double passing = static_cast<double>(j + 1) * last_digits(state, step) * std::abs(c[j + 1]);
    if (std::abs(c[j]) > std::max(rounding, passing)) break;
    c[j] = 0.0;
  }
  if (g.kind == GuardKind::closes && degree >= 2 &&
      only_touches(course, sys.contacts[g.contact], state, step.h))
    c[1] = 0.0;
}

// A gap that opens with a high power of time: removes rounding errors of its lower derivatives, and the error of the
// interpolant in the first one, if it returns from within the accuracy of the motion.
Crossing Crossings::crossing_of_opening(const Course& course, FlowKind kind, double noise) const {
  double* const c = course.c;
  const auto is_noise = [&](Index j) {
    const bool shallow = j == 1 && !is_exact(kind) && c[2] < 0.0 &&
                         c[1] * c[1] <= -4.0 * c[2] * tolerance::integrated * options.rtol * course.size;
    return shallow || std::abs(c[j]) <= tolerance::matrix_zero * course.size;
  };
  Crossing found{.found = true, .at_once = true};
  for (Index j = 1; j <= 2 && found.at_once && is_noise(j); ++j) {
    c[j] = 0.0;
    found = first_crossing(c, static_cast<int>(course.degree), GuardStart::zero, noise);
  }
  return found;
}

// First crossing of a guard whose start no decision has determined.
double Crossings::crossing_undecided(const Guard& g, const State& state, const Step& step,
                                     const Course& course, double whole) const {
  const auto [c, degree, size] = course;
  const bool fresh = state.after_transition, gap = g.kind == GuardKind::closes;
  const double zero = zero_at_start(g, state, step.kind, course, whole);
  // A transition leaves no overlap but that of rounding, from which it has found the contact to part.
  const bool parts = fresh && gap && c[0] > 0.0;
  const double unresolved = fresh ? last_digits(state, step) * std::abs(c[1]) : 0.0;
  const bool from_zero = parts || std::abs(c[0]) <= std::max(zero, unresolved);
  if (fresh && from_zero) clear_rounding(g, state, step, course);
  const double noise = is_exact(step.kind) ? 0.0 : tolerance::rounding * size;
  Crossing found =
      first_crossing(c, static_cast<int>(degree), from_zero ? GuardStart::zero : GuardStart::as_is, noise);
  // Positive from the start although the transition should have prevented it.
  if (!found.found) return !from_zero && c[0] > 0.0 ? 0.0 : never;
  // A velocity or load that departs from zero with a high power of time, or with a vertical tangent of the force, may
  // start on the wrong side in the interpolant; the transition has already found that it departs, and the end of the
  // step shows it. The same holds for a bristle that begins at its limit, after sliding. A seat that is passed within
  // rounding after another event counts as passed.
  const bool leaves = g.kind != GuardKind::reaches_seat && !is_exact(step.kind);
  if (found.at_once && leaves && polynomial::value(c, degree, 1.0) < 0.0) return never;
  if (found.at_once && fresh && gap) found = crossing_of_opening(course, step.kind, noise);
  return theta_of(found);
}

// First crossing of guard k.
double Crossings::crossing(const Regime& r, const State& state, const Step& step, Index k, Course course) {
  const Guard& g = r.guards[k];
  const auto [c, degree, size] = course;
  if (size == 0.0) return never;
  shift[k] = 0.0;
  if (g.kind == GuardKind::sharing_changes)
    return crossing_watched(c, degree, band(r, state, k), state.after_transition, shift[k]);
  if (g.kind == GuardKind::load_negative)
    return crossing_of_load(course, std::max(size, load_sizes(g.friction)));
  const double whole = guard_size(r, state, k, step.kind);
  if (g.kind != GuardKind::closes && size <= 2.0 * tolerance::rounding * whole)
    return never; // zero within rounding
  const Index zeros = state.after_transition && k < state.zeros.size() ? state.zeros[k] : -1;
  if (zeros >= 0 && (step.kind == FlowKind::exact || zeros > degree))
    return crossing_as_decided(c, degree, zeros, undecided * std::max(whole, size), shift[k]);
  std::fill_n(c, std::clamp<Index>(zeros, 0, 3), 0.0); // the interpolant does not resolve them
  return crossing_undecided(g, state, step, course, whole);
}

void Crossings::size_shared_forces(const Regime& r, const State& state, FlowKind kind) {
  shared_error = 0.0;
  if (!is_exact(kind)) {
    const Vector motion = (options.rtol * state.seen).cwiseMax(tolerance::residual * state.nominal);
    const Vector no_signals = Vector::Zero(sys.ns());
    shared_force.setZero(rhs.force.size());
    for (const ForceLimit& l : r.sharing.limits)
      shared_error = std::max(shared_error, holding_terms(sys, r, holding_row(sys, r, l.force), motion.data(),
                                                          no_signals.data(), shared_force.data()));
  }
  shared_force = rhs.force;
  rhs.at_start(xdot, shared_force);
  shared_change = 0.0;
  for (Index k = 0; k < r.guards.size(); ++k)
    if (r.guards[k].kind == GuardKind::sharing_changes)
      shared_change = std::max(shared_change, series.size(k));
}

bool Crossings::find(const Regime& r, const State& state, const Step& step) {
  const Index degree = series.degree();
  theta.resize(r.guards.size());
  shift.resize(r.guards.size());
  if (r.sharing.any()) size_shared_forces(r, state, step.kind);
  size_formulas(r, state);
  bool any = false;
  std::array<double, guard_max_degree + 1> c;
  for (Index k = 0; k < r.guards.size(); ++k) {
    std::copy_n(series.row(k), degree + 1, c.data());
    theta[k] = crossing(r, state, step, k, {c.data(), degree, series.size(k)});
    any = any || theta[k] <= 1.0;
  }
  return any;
}

void Crossings::fire(const Regime& r, const State& state, Step& step) const {
  step.end = std::min(never, theta[earliest()]);
  const double together = std::min(step.end + same_instant(state) / step.h, 1.0);
  for (Index k = 0; k < theta.size(); ++k)
    if (theta[k] <= together) step.fired.push_back(r.guards[k]);
}

} // namespace stickslip
