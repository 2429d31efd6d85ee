// A friction law as the engine sees it: a sum of terms, each a curve F(v), possibly with a jump at v = 0, or a bristle
// with internal states. Dry parts are per unit normal load, viscous parts are absolute forces:
//   F = N * (dry(v) + bristle(z, v)) + viscous(v),   F opposes v and acts on the body as -F.
// `direction` (+1 or -1) is the side of v = 0 on which a formula is meant; the integrator may try velocities slightly
// beyond zero on the wrong side, where each formula is continued smoothly (analytically where it can be, else evenly).
#pragma once

#include "core/types.hpp"
#include "friction/terms.hpp" // Coulomb, Viscous, Stribeck, Tanh, Table, Callable, Dahl, LuGre, ... : plain structs

#include <optional>
#include <variant>
#include <vector>

namespace stickslip {

using Term = std::variant<Coulomb, Viscous, Stribeck /* ... one line per law ... */>;

struct Law {
  std::vector<Term> terms;

  bool operator==(const Law&) const = default;
};

struct Interval {
  double lo = 0.0, hi = 0.0;
};

// Everything about a law that does not change while it runs; computed once per machine.
struct LawTraits {
  Index states = 0;           // number of internal states, all terms together
  bool sticks = false;        // the curve has a jump at v = 0: stick is a mode
  bool kinked = false;        // no jump, but derivatives jump at v = 0: crossings are switches of the flow
  bool affine = false;        // on each side of zero: dry constant, viscous part linear, no internal states
  bool needs_interpreter = false;
  Index switches = 0;         // internal switching guards besides v = 0 (generalised Maxwell slip), else 0
};
LawTraits traits(const Law&);

// The dry parts and bristles together are `dry` (per unit load); rates of all internal states go to zdot.
struct Force {
  double dry = 0.0, viscous = 0.0;
};
// `branch` holds the internal switching state (bit i: element i slips), 0 where the law has none.
Force evaluate(const Law&, double v, int direction, unsigned branch, const double* z, double* zdot);

// Derivatives at the same place: d/dv and d/dz_j of dry and viscous and of each zdot_i (row-major n x n).
struct Slopes {
  double dry_v = 0.0, viscous_v = 0.0;
};
Slopes linearise(const Law&, double v, int direction, unsigned branch, const double* z, double* dry_z, double* zdot_v,
                 double* zdot_z);

// At rest (v = 0): dry force per unit load may be anything in offset(z) + [lo, hi]; the interval includes the offset.
Interval rest_interval(const Law&, const double* z);
// Rates of the internal states at rest when the dry force per unit load is `dry` (matters for the second bristle state
// of TwoStateBristle, whose step at v = 0 is set-valued; zero for most).
void rest_rates(const Law&, double dry, const double* z, double* zdot);

// Steady state at v != 0 with the internal states settled; also fills z.
Force steady(const Law&, double v, double* z);

// Internal switching guards (fires when > 0) and the branch after guard i fired.
void switch_guards(const Law&, double v, int direction, unsigned branch, const double* z, double* guards);
unsigned switch_branch(const Law&, unsigned branch, Index fired);
unsigned initial_branch(const Law&);

} // namespace stickslip
