// Impacts in succession at one instant, and the limit of infinitely many (inelastic collapse; McNamara, Young 1992).
//
// An impact acts on the contacts that approach and, through these, on the closed ones. A contact that separates takes no
// part until an impulse makes it approach, however small its gap: closed and barely separating differ by a finite jump.
#pragma once

#include "transition/impact.hpp"

#include "core/list.hpp"
#include "core/types.hpp"

namespace stickslip::contact {

// A contact during the impacts of one instant.
struct Near {
  double gap = 0.0;     // >= 0; zero below rounding
  double at_rest = 0.0; // threshold for a zero rate
  double no_gap =
      0.0; // gaps below this count as closed: contacts that approach across them have an impact at once
  bool held = false; // closed before, or brought to rest by an impact of this instant
};

// The next contacts with an impact, all of them together if their flights are equal within rounding.
struct NextImpact {
  List<Index> contacts; // empty: none approaches within the horizon
  double flight = 0.0;  // time until the impact
};
// `approach`: least approach speed of each contact. `horizon`: longer flights end at a later instant, unless the gap
// counts as closed; then the flight is zero.
NextImpact next_impact(const List<Near>& contacts, const Vector& rates, const Vector& approach,
                       double horizon);

// Signed impulses, [Lambda_N; -S], of an impact per unit of the velocities before it, while its modes stay as in
// `solution`. Empty if they are not a linear function of them.
Matrix impulse_response(const Impact& p, const ImpactSolution& solution);

// One impact of a repeating sequence in the rows of all of its contacts: normals, then tangents.
struct LinearImpact {
  Matrix response;         // signed impulses of all rows per unit of all rates
  List<Index> approaching; // rows of the contacts that approached
};

// A sequence of impacts that has repeated itself.
struct RepeatingImpacts {
  const Impact& problem; // of all rows
  Vector rates;          // before the next period
  List<LinearImpact> period{};
  Matrix columns{};      // of the limit: signed impulses of all rows per unit of each unknown
  List<Index> at_rest{}; // rows at rest in the limit, one for each unknown
  List<Index> watched{}; // rows whose rate must not change its sign in the sequence
  bool loses = false;    // a period dissipates energy
};

enum class Limit : std::uint8_t {
  unknown,     // not shown to continue without end: compute the impacts one by one
  reached,     // `impulse` leads to the limit
  interrupted, // `impulse` leads to the last period before a watched rate changes its sign
  none,        // they continue without end: no energy is lost, or walls approach each other
};
struct Collapse {
  Limit limit = Limit::unknown;
  Vector impulse; // signed, of all rows, from the present rates
};
Collapse collapse_of(const RepeatingImpacts& sequence);

} // namespace stickslip::contact
