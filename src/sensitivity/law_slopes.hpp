// Derivatives of an affine regime by a parameter of laws alone. The forces of its sliding elements, F = a N + b v, and
// the limits of those at rest, which are proportional to their loads, change by numbers; all else follows in closed
// form, so that no regime of a neighbouring machine is built.
#pragma once

#include "sensitivity/slopes.hpp"

namespace stickslip {

class LawSlopes {
public:
  // True if this holds for all these elements, whose laws change.
  static bool apply(const System& base, const List<Index>& changed);

  // For a regime that `moves_alone`.
  LawSlopes(const System& base, const Regime& regime);
  // `changed`: the elements whose law changes with the parameter.
  RegimeSlopes::Change of(const Neighbours& p, const List<Index>& changed) const;
  // Derivatives of a limit of an element, per unit of its load: by a parameter of laws; and the limit itself.
  double slope_of_limit(const GuardTerms::Limit& l, const Neighbours& p) const;
  double limit_per_load(const GuardTerms::Limit& l, const System& of) const;

  Matrix by_force, by_held; // of guards by the forces of sliding elements, and by the holding forces

private:
  const System& sys;
  const Regime& r;
  const Vector no_state, no_force;
};

// True if the limits in a guard are those of elements for which this holds.
bool has_simple_limits(const System& sys, const Regime& r, Index guard);

} // namespace stickslip
