// A friction law as the engine sees it: a sum of terms, each a curve F(v), possibly with a jump at v = 0, or
// a bristle with internal states. Dry parts are per unit normal load, viscous parts are absolute forces:
//   F = N * (dry(v) + bristle(z, v)) + viscous(v),   F opposes v and acts on the body as -F.
// `direction` (+1 or -1) is the side of v = 0 on which a formula is meant; the integrator may try velocities
// slightly beyond zero on the wrong side, where each formula is continued smoothly (analytically where it can
// be, else evenly).
#pragma once

#include "core/list.hpp"
#include "core/types.hpp"
#include "friction/terms.hpp" // the plain structs, LawTraits, Interval, Force

#include <functional>
#include <string>
#include <type_traits>
#include <variant>

namespace stickslip {

using Term = std::variant<Coulomb, Viscous, Stribeck, Tanh, Table, Callable, LuGre, Dahl, TwoStateBristle,
                          ElastoPlastic, MaxwellSlip, BoucWen, Leuven, Formula>;

struct Law {
  List<Term> terms;

  bool operator==(const Law&) const = default;
};

// Throws InvalidArgument naming the parameter.
void validate(const Law&);

// Recomputes numbers that were not given and follow from others (`..._follows` of the terms).
void follow(Law&);

// Numbers that vary by themselves follow others no more. Of two levels given as one, both have to vary.
void give_own_numbers(Law&, const std::function<bool(const double*)>& varies);

// The terms of both; forces add.
Law operator+(const Law& a, const Law& b);

// Computed once per machine.
LawTraits traits(const Law&);

// Public names of the internal states, in their order; names that occur twice get the number of their term in
// front.
List<std::string> state_names(const Law&);

// The dry parts and bristles together are `dry` (per unit load); rates of all internal states go to zdot.
// `branch` holds the internal switching state (bit i: element i slips), 0 where the law has none. Formulas may read the
// normal load.
template <class T>
ForceOf<T> evaluate(const Law&, const T& v, int direction, unsigned branch, const std::type_identity_t<T>* z,
                    std::type_identity_t<T>* zdot, const std::type_identity_t<T>& load);
// Compiled in law.cpp: numbers; derivatives by v and one state; by all that an element's force depends on.
inline constexpr int element_seeds = 8;
extern template Force evaluate(const Law&, const double&, int, unsigned, const double*, double*,
                               const double&);
extern template ForceOf<Dual<1>> evaluate(const Law&, const Dual<1>&, int, unsigned, const Dual<1>*, Dual<1>*,
                                          const Dual<1>&);
extern template ForceOf<Dual<2>> evaluate(const Law&, const Dual<2>&, int, unsigned, const Dual<2>*, Dual<2>*,
                                          const Dual<2>&);
extern template ForceOf<Dual<element_seeds>> evaluate(const Law&, const Dual<element_seeds>&, int, unsigned,
                                                      const Dual<element_seeds>*, Dual<element_seeds>*,
                                                      const Dual<element_seeds>&);

// Derivatives at the same place: d/dv and d/dz_j of dry and viscous and of each zdot_i (row-major n x n).
struct Slopes {
  double dry_v = 0.0, viscous_v = 0.0;
};
Slopes linearise(const Law&, double v, int direction, unsigned branch, const double* z, double load,
                 double* dry_z, double* zdot_v, double* zdot_z);

// At rest (v = 0): dry force per unit load may be anything in offset(z) + [lo, hi]; the interval includes the
// offset.
Interval rest_interval(const Law&, const double* z, double load);
// Rates of the internal states at rest when the dry force per unit load is `dry` (matters for the second
// bristle state of TwoStateBristle, whose step at v = 0 is set-valued; zero for most). Set-valued terms share
// by equal utilisation.
void rest_rates(const Law&, double dry, const double* z, double* zdot, double load);

// Values of the internal states at the start of a run, where it does not say otherwise.
Vector start_states(const Law&);
// Sizes of the internal states.
Vector state_sizes(const Law&);

// Steady state at v != 0 with the internal states settled; also fills z (unless null).
Force steady(const Law&, double v, double* z, double load);
// Dry force per unit load in fast sliding towards this side: the kinetic level, at which impulses of friction stay.
double kinetic_level(const Law&, int side); // under 1 N
// Slope of the steady curve, on the side `direction` if v = 0.
Slopes steady_slopes(const Law&, double v, int direction, double load);
// The steady curve with load, defined for every v: at v = 0 the middle of the set.
double steady_force(const Law&, const LawTraits&, double v, double normal_load);

// Internal switching guards: fires when > 0; one that is > 0 from the start fires at once.
void switch_guards(const Law&, double v, int direction, unsigned branch, const double* z, double* guards);
// The branch after guard `fired` was met. Whenever v reaches zero or changes its sign the branch is 0 again: all
// elements stick. Terms with a memory among their internal states change it here, or on_turn().
unsigned on_switch(const Law&, Index fired, int direction, unsigned branch, double* z);
// From here on v has the sign `direction`, even if it had it before.
void on_turn(const Law&, int direction, double* z);

// Surfaces on which the slopes of the rates jump without a switch: zeros of these functions, in units of
// the dry force, as many as the law's traits state. Steps of an integrator end there.
void bends(const Law&, double v, int direction, const double* z, double load, double* out);

// Velocities other than zero where the curve or its slope jumps (knots of tables), ascending.
List<double> velocity_breakpoints(const Law&);
// The same together with both signs of all characteristic speeds: places that an integrator under prescribed
// motion should not stride over.
List<double> velocity_marks(const Law&);

} // namespace stickslip
