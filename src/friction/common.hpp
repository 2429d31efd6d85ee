// Interface of the terms of a law, and the two parts that most laws share: the decrease of the level from
// static to kinetic, and the viscous part. Terms are plain values; kernels are free function templates:
//   curve(term, v, direction)                      -> ForceOf<T>, the steady curve on the side `direction` of zero
//   bristle(term, v, direction, branch, z, zdot)   -> ForceOf<T>, with the rates of the internal states
//   settle(term, v, direction, z)                  the internal states of the steady curve
//   about(term), validate(term), and Term::fields(), the table of its parameters (core/fields.hpp).
// Terms that switch within have `has_switches`, switches() and
//   slip_guards(term, v, direction, branch, z, guards)   a guard fires when it becomes positive; its bit of the branch is
//                                                        set until v comes back to zero
// Terms with a memory keep it in internal states whose rates are zero, and have one or both of
//   on_switch(term, fired, direction, z)                 a guard has fired: changes the memory in place of the branch
//   on_turn(term, direction, z)                          v goes to the side `direction` from here on, also if it was there
#pragma once

#include "core/dual.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/list.hpp"
#include "core/types.hpp"

#include <limits>

namespace stickslip {

// No term, and no law, has more internal states than this (bits of a branch, buffers on the stack).
inline constexpr Index max_elements = 32;

struct Interval {
  double lo = 0.0, hi = 0.0;
};

// Everything about a law (or a term of one) that does not change while it runs.
struct LawTraits {
  Index states = 0;    // number of internal states, all terms together
  bool sticks = false; // the curve has a jump at v = 0: stick is a mode
  bool reversal_switches =
      false;          // no jump, but derivatives jump at v = 0: velocity reversals switch the flow
  bool affine = true; // on each side of zero: dry constant, viscous part linear, no internal states
  bool needs_interpreter = false;
  bool searches = false;   // steady states are found numerically, within the speeds of a formula
  bool reads_load = false; // the force per unit load, or a rate, depends on the load
  Index switches = 0;      // internal switching guards besides v = 0 (generalised Maxwell slip), else 0
  Index bends = 0;         // zeros at which the slopes of rates jump but nothing switches: bends() in law.hpp
  Interval break_away;     // levels per unit load that quasi-static loading from rest has to exceed
  double stiffness = 0.0;  // at rest, per unit load: bristles only
  double damping = 0.0;    // at rest, per unit load, of bristles; the viscous part is not in it
};

// Traits of a bristle that holds up to `level` per unit load.
inline LawTraits bristle_traits(Index states, double level, double stiffness, double damping = 0.0) {
  LawTraits t;
  t.states = states;
  t.reversal_switches = true;
  t.affine = false;
  t.break_away = {-level, level};
  t.stiffness = stiffness;
  t.damping = damping;
  return t;
}

template <class T> struct ForceOf {
  T dry = 0.0, viscous = 0.0;
};
using Force = ForceOf<double>;

// A law of one kinetic level: its steady curve, and the deflection of a bristle that has settled to it.
template <class C>
concept OnOneLevel = requires(const C& c) { c.kinetic; };
template <OnOneLevel C, class T> ForceOf<T> curve(const C& c, const T&, int direction) {
  return {T(direction) * T(c.kinetic), T(0.0)};
}
template <OnOneLevel C> void settle(const C& c, double, int direction, double* z) {
  z[0] = direction * c.kinetic / c.stiffness;
}

enum class StribeckForm { exponential, lorentzian };

// level(s) = kinetic + (static - kinetic) fall(s), s = |v| in units of m/s; fall = exp(-(s/vs)^shape) or
// 1/(1 + (s/vs)^shape). No Stribeck velocity (infinite) means one level.
template <class P> struct LevelsOf {
  P static_level = 0.0, kinetic = 0.0;
  P stribeck_velocity = std::numeric_limits<double>::infinity();
  P shape = 2.0;
  StribeckForm form = StribeckForm::exponential;
  bool kinetic_follows = false; // one level was given: one parameter under both names

  bool one() const { return static_level == kinetic; }

  static constexpr auto fields() {
    return std::tuple{field("static", &LevelsOf::static_level),
                      field("kinetic", &LevelsOf::kinetic),
                      field("stribeck_velocity", &LevelsOf::stribeck_velocity, quantity::velocity),
                      field("shape", &LevelsOf::shape),
                      field("form", &LevelsOf::form),
                      field("kinetic_follows", &LevelsOf::kinetic_follows)};
  }
};
using Levels = LevelsOf<double>;

void validate(const Levels& c, bool kinetic_may_be_zero);

// s = direction * v may be slightly negative. For odd integer shapes the analytic continuation grows without
// bound there; it is followed to half a Stribeck velocity and held beyond.
template <class P, class T> inline T fall(const LevelsOf<P>& c, const T& s) {
  const double shape = value_of(c.shape);
  T u = s / c.stribeck_velocity;
  if (value_of(u) < -0.5 && is_integer(shape) && std::fmod(shape, 2.0) != 0.0) u = T(-0.5);
  const T p = power(u, c.shape);
  if (c.form == StribeckForm::exponential) return value_of(p) > 745.0 ? T(0.0) : exponential(-p);
  return value_of(p) > 1e150 ? T(0.0) : T(1.0) / (T(1.0) + p);
}

template <class P, class T> inline T level(const LevelsOf<P>& c, const T& s) {
  if (c.one()) return T(c.kinetic);
  return T(c.kinetic) + T(c.static_level - c.kinetic) * fall(c, s);
}

// The two levels of a term that has them: its Levels, or the term itself; else null.
template <class X> auto* levels_of(X& term) {
  if constexpr (requires { term.levels; })
    return &term.levels;
  else if constexpr (requires { term.kinetic_follows; })
    return &term;
  else
    return static_cast<Levels*>(nullptr);
}

// Speeds between which the level changes: where (s/vs)^shape passes through the range in which the fall
// happens. An integrator that strides over them from far away may not see the Stribeck peak at all.
void marks(const Levels& c, List<double>& out);

// True if level(|v|) is analytic through v = 0.
inline bool even(const Levels& c) {
  return c.one() || (is_integer(c.shape) && std::fmod(c.shape, 2.0) == 0.0);
}

} // namespace stickslip
