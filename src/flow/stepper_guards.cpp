// Which guards fire in a step, from their polynomials, and which of them first.
#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

// How large the terms are that a guard is the difference of, at the start of the step.
double Stepper::guard_size(const Regime& r, const State& state, std::size_t k, FlowKind kind) const {
  const auto row = static_cast<Index>(k);
  if (is_exact(kind))
    return r.Gx.row(row).cwiseAbs().dot(state.base_x.cwiseAbs()) +
           r.Gs.row(row).cwiseAbs().dot(signal_series.col(0).cwiseAbs());
  const Guard& g = r.guards[k];
  if (g.kind != GuardKind::breaks_away && g.kind != GuardKind::limit_again)
    return std::numeric_limits<double>::infinity();
  const Place& p = sys.places[g.friction];
  if (loading_contact(p) >= 0) return std::numeric_limits<double>::infinity();
  const Interval l = stick_limits(sys, p, r.modes.friction[g.friction].load_sign, state.base_t,
                                  state.base_x.data(), frame_signals.data(), nullptr);
  return 2.0 * (std::abs(l.lo) + std::abs(l.hi));
}

// Fills `crossing`; true if any guard fires in this step.
bool Stepper::find_crossings(const Regime& r, const State& state, const Step& step, Index degree) {
  bool any = false;
  std::array<double, guard_max_degree + 1> c;
  const double noise_factor = is_exact(step.kind) ? 0.0 : 1e-13;
  for (std::size_t k = 0; k < r.guards.size(); ++k) {
    double size = 0.0;
    const double* const series = guard_series.row(static_cast<Index>(k)).data();
    std::copy_n(series, degree + 1, c.data());
    for (std::size_t j = 0; j <= static_cast<std::size_t>(degree); ++j) size += std::abs(c[j]);
    if (size == 0.0) continue;
    if (r.guards[k].kind == GuardKind::load_sign) { // a load of zero that only rounding moves
      const Form& load = sys.places[r.guards[k].friction].load_force;
      if (size <= 1e-14 * load.x.cwiseAbs().dot(state.nominal)) continue;
    }
    // What a saturated controller leaves at zero all along (its input at rest) is zero up to rounding of its
    // terms.
    double rest = 0.0;
    if (r.guards[k].kind == GuardKind::limit) {
      const LimitGuard& limit = r.linear->guards[r.guards[k].limit];
      rest = 1e-13 * (limit.form.x.cwiseAbs().dot(state.base_x.cwiseAbs()) +
                      limit.form.s.cwiseAbs().dot(s.cwiseAbs()));
      if (size <= rest) continue;
    }
    // What the last transition left at zero is decided by what comes after, not by rounding.
    double zero = 1e-13 * size;
    if (state.after_transition) {
      const Guard& g = r.guards[k];
      // As the transition counts rest, with a little more: places on one body cannot all be put at rest exactly.
      if (g.kind == GuardKind::slip_ends || g.kind == GuardKind::kink || g.kind == GuardKind::surface_turns)
        zero = std::max(zero, 2e-11 * velocity_size(sys.places[g.friction], state.nominal));
      else if (g.kind == GuardKind::closes) // what many impacts have left, small beside all gaps there were
        zero = std::max(1e-11 * size, 1e-13 * sys.contacts[g.contact].gap.x.cwiseAbs().dot(state.nominal));
      else if (g.kind == GuardKind::opens)
        zero = 1e-11 * size; // all its terms may be zero here
      else if (g.kind == GuardKind::limit)
        zero = std::max(1e-11 * size, rest);
      else if (const double whole = guard_size(r, state, k, step.kind); std::isfinite(whole)) {
        if (size <= 2e-13 * whole) continue; // it stays at its limit: rounding, no motion
        zero = std::max(1e-11 * std::min(size, whole), 1e-13 * whole);
      } else {
        zero = 1e-11 * size;
      }
      if (c[1] < 0.0) zero = std::max(zero, 1e-8 * -c[1]); // it was located no better, and goes away at once
      if (g.kind == GuardKind::closes) {
        // A gap between large positions, in a step that is short beside them; an impact that came so fast that the
        // last digits of t are farther than the rebound goes; an overlap that a closed contact has drifted into
        // and that its transition took for no gap (see find_candidates).
        const Contact& contact = sys.contacts[g.contact];
        const double positions =
            contact.gap.x.cwiseAbs().dot(state.nominal) + contact.gap.s.cwiseAbs().dot(s.cwiseAbs());
        const double way = std::abs(state.base_t) * contact.rate.x.cwiseAbs().dot(state.nominal);
        const double digits = 4.0 * std::numeric_limits<double>::epsilon() * (positions + way);
        zero = std::max({zero, digits, c[0] > 0.0 ? 1e-11 * positions : 0.0});
      }
    }
    // Nor does the place of the event within the last digits of t.
    const double unresolved = state.after_transition ? 4.0 * std::numeric_limits<double>::epsilon() *
                                                           std::abs(state.base_t) / step.h
                                                     : 0.0;
    const bool from_zero = std::abs(c[0]) <= std::max(zero, unresolved * std::abs(c[1]));
    if (from_zero && state.after_transition && degree >= 2) {
      const double slope = is_exact(step.kind) ? rounding(static_cast<Index>(k)) : 0.0;
      if (std::abs(c[1]) <= std::max(slope, 2.0 * unresolved * std::abs(c[2]))) c[1] = 0.0;
    }
    Crossing found = first_crossing(c.data(), static_cast<int>(degree),
                                    from_zero ? GuardStart::zero : GuardStart::as_is, noise_factor * size);
    if (!found.found) {
      // Positive from the start although the transition should have prevented it.
      if (!from_zero && c[0] > 0.0) crossing[k] = 0.0, any = true;
      continue;
    }
    // A velocity or load that departs from zero with a high power of time, or where the force has a vertical
    // tangent, may start on the wrong side in the interpolant; the transition has already found that it
    // departs, and the end of the step shows it.
    if (found.at_once && !is_exact(step.kind) && r.guards[k].kind != GuardKind::breaks_away) {
      double end = 0.0;
      for (Index j = 0; j <= degree; ++j) end += c[static_cast<std::size_t>(j)];
      if (end < 0.0) continue;
    }
    // A gap that opens with a high power of time: what rounding left of its lower derivatives is taken out.
    if (found.at_once && state.after_transition && r.guards[k].kind == GuardKind::closes) {
      for (std::size_t j = 1; j <= 2 && found.at_once; ++j) {
        if (std::abs(c[j]) > 1e-9 * size) break;
        c[j] = 0.0;
        found = first_crossing(c.data(), static_cast<int>(degree), GuardStart::zero, noise_factor * size);
      }
      if (!found.found) continue;
    }
    crossing[k] = found.theta;
    any = true;
  }
  return any;
}

// The earliest guard and all that fire with it.
void Stepper::collect(const Regime& r, const State& state, Step& step) {
  double first = 2.0;
  for (double th : crossing) first = std::min(first, th);
  step.end = first;
  const double together = first + (8e-16 * std::abs(state.base_t) + 1e-13 * sys.time_scale) / step.h;
  for (std::size_t k = 0; k < crossing.size(); ++k)
    if (crossing[k] <= std::min(together, 1.0)) step.fired.push_back(r.guards[k]); // 2: does not fire
}

} // namespace stickslip
