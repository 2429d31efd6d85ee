// Mode changes by guards without a decision: for exact runs and for the real-time form.
#pragma once

#include "dynamics/regime.hpp"
#include "dynamics/state.hpp"

namespace stickslip {

// Guards: the sign of v of a law without a jump, a law's internal switch, the sign of an automaton's load force, a
// force that returned below its limit; other guards change nothing here.
void switch_flow(const System& sys, Modes& modes, const Guard& g, double* x) noexcept;

// Sets the mode of the element; the states of its law store the direction of slip.
void enter(FrictionMode& now, const Friction& element, Mode mode, double* x) noexcept;

// Acceleration of an element's relative velocity in a motion x'.
inline double relative_acceleration(const Friction& element, const Vector& xdot, const Vector& s) {
  return element.velocity.x.dot(xdot) + element.acceleration_s.dot(s);
}

// The difference between the state and that before the instant exceeds rounding.
bool has_jumped(const State& state, const Vector& before) noexcept;

// A rigid contact or a one-way clutch closes.
inline bool meets_contact(const Guard& g) {
  return g.kind == GuardKind::closes || g.kind == GuardKind::locks;
}

// use(friction element, side) for all that leave together when a limit that they share is reached.
template <class Use> void for_each_leaving(const Regime& r, const Guard& shared_limit, Use&& use) {
  const Facet& f = r.facets[shared_limit.facet];
  for (Index j = 0; j < f.members.size(); ++j)
    use(r.sticking[f.members[j]], f.share(j) * shared_limit.direction > 0.0 ? 1 : -1);
}

} // namespace stickslip
