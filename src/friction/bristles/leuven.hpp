// Leuven's law (Swevers, Al-Bender, Ganseman, Prajogo, IEEE Trans. Autom. Control 45, 2000, 675) with the
// rate of its first modification (Lampaert, Swevers, Al-Bender, same journal 47, 2002, 683): hysteresis
// with non-local memory,
//   F = Fh + s1 dz/dt + viscous part,   dz/dt = v (1 - sgn(q) |q|^n),   q = Fh / (level(|v|) sgn v).
// In 2000 q was Fd/(level sgn v - Fb), Fb the force at the last reversal and Fd that since then. It jumps
// where a loop closes, and has a pole where the level falls through Fb: just beyond it Fh runs away from
// the level. Fh(z), rate-independent, follows the virgin curve f, and after a reversal at (zm, Fm) the rule
// of Masing:
//   f(y) = h (1 - exp(-k |y|/h)) sgn y,   Fh = Fm + 2 f((z - zm)/2).
// The papers leave f free. This one has an initial stiffness and a height and no more; it rises strictly,
// so that the steady force level(|v|) < h is reached in finite deflection; and its slope is a function of
// the force, so that Fh itself is the state and no deflection is needed:
//   dFh/dz = k (1 - |Fh|/h) on the virgin curve,   k (1 - |Fh - Fm|/(2h)) after a reversal.
// (|.| is taken along the direction of motion: an analytic continuation where sliding at a falling level
// draws Fh back beyond its reversal.) With n = 1 and h to infinity this is LuGre's law. Memory: the forces
// at the reversals, each between the two before it. A loop closes where Fh comes back to the reversal
// before the last one, the outermost where it comes to the mirror image of the first: on Masing's curves
// the deflection closes at the same place.
#pragma once

#include "core/list.hpp"
#include "friction/curves/viscous.hpp"

#include <algorithm>
#include <string>

namespace stickslip {

template <class P> struct LeuvenOf {
  static constexpr bool is_bristle = true;
  static constexpr bool has_switches = true;
  // Two such laws fit into a sum. When the memory is full at a reversal, the innermost loop is dropped: the force
  // continues from its value on the outer curve, which then closes slightly earlier or later.
  static constexpr Index most_reversals = 14;

  P stiffness = 0.0; // k
  P height = 0.0;    // h
  P damping = 0.0;   // s1, s/m
  P exponent = 1.0;  // n
  LevelsOf<P> levels;
  ViscousOf<P> viscous;

  Index states() const { return 2 + most_reversals; }
  Index switches() const { return 1; } // a loop closes
  std::string state_name(Index i) const {
    return i == 0 ? "f" : i == 1 ? "reversals" : std::string(1, 'r').append(std::to_string(i - 1));
  }

  static constexpr auto fields() {
    return std::tuple{field("stiffness", &LeuvenOf::stiffness),
                      field("height", &LeuvenOf::height),
                      field("damping", &LeuvenOf::damping),
                      field("exponent", &LeuvenOf::exponent),
                      inlined(&LeuvenOf::levels),
                      inlined(&LeuvenOf::viscous, ViscousOf<P>::fields_as_part())};
  }
};
using Leuven = LeuvenOf<double>;

// The internal states by meaning: the force, the number of reversals, and their forces from the first on.
template <class T> struct LeuvenMemory {
  T* z;

  Index depth() const {
    return static_cast<Index>(
        std::clamp(std::nearbyint(value_of(z[1])), 0.0, double(Leuven::most_reversals)));
  }
  const T& last() const { return z[1 + depth()]; }
  // Force at which the innermost loop closes; needs a reversal.
  double closure() const { return depth() > 1 ? value_of(z[depth()]) : -value_of(z[2]); }
  // The direction of loading on the present curve, 0 if it is not known.
  int side() const {
    const double along = depth() > 0 ? closure() - value_of(last()) : value_of(z[0]);
    return along > 0.0 ? 1 : (along < 0.0 ? -1 : 0);
  }
};

inline void forget(double* z, Index reversals) {
  LeuvenMemory<double> m{z};
  for (; reversals > 0 && m.depth() > 0; --reversals) {
    z[1 + m.depth()] = 0.0;
    z[1] = static_cast<double>(m.depth() - 1);
  }
}

// The last two reversals make a loop; the first one alone makes one with the virgin curve.
inline void close_loop(double* z) {
  forget(z, LeuvenMemory<double>{z}.depth() > 1 ? 2 : 1);
}

inline void on_switch(const Leuven&, Index, int direction, double* z) {
  const LeuvenMemory<double> m{z};
  do close_loop(z);
  while (m.depth() > 0 && direction * (z[0] - m.closure()) >= 0.0);
}

// Reversals that the force has not left, or has passed again because the level fell, are removed: the force continues
// from its value.
inline void on_turn(const Leuven&, int direction, double* z) {
  const LeuvenMemory<double> m{z};
  while (m.depth() > 0) {
    if (m.side() * (z[0] - m.last()) <= 0.0)
      forget(z, 1);
    else if (m.side() * (z[0] - m.closure()) >= 0.0)
      close_loop(z);
    else
      break;
  }
  if (m.side() != -direction) return;
  if (m.depth() == Leuven::most_reversals) close_loop(z);
  z[1] = static_cast<double>(m.depth() + 1);
  z[1 + m.depth()] = z[0];
}

inline void slip_guards(const Leuven& c, double, int direction, unsigned, const double* z, double* guards) {
  const LeuvenMemory<const double> m{z};
  guards[0] = m.depth() > 0 ? direction * (z[0] - m.closure()) : -c.levels.static_level;
}

template <class P, class T>
ForceOf<T> bristle(const LeuvenOf<P>& c, const T& v, int direction, unsigned, const T* z, T* zdot) {
  const LeuvenMemory<const T> m{z};
  const T side(direction);
  const bool virgin = m.depth() == 0;
  const T since = side * (virgin ? z[0] : z[0] - m.last());
  const T slope = T(c.stiffness) * (T(1.0) - since / T(virgin ? c.height : P(2.0) * c.height));
  const T q = side * z[0] / level(c.levels, side * v);
  const T rate = v * (T(1.0) - odd_power(q, c.exponent));
  zdot[0] = slope * rate;
  std::fill(zdot + 1, zdot + c.states(), T(0.0));
  return {z[0] + T(c.damping) * rate, viscous_force(c.viscous, v, direction)};
}

// Sliding has left all loops behind.
inline void settle(const Leuven& c, double v, int direction, double* z) {
  std::fill(z, z + c.states(), 0.0);
  z[0] = curve(c, v, direction).dry;
}

inline void validate(const Leuven& c) {
  positive("stiffness", c.stiffness);
  validate(c.levels, false);
  positive("height", c.height);
  if (!(c.height > c.levels.static_level)) reject("height", c.height, "greater than the static level");
  non_negative("damping", c.damping);
  positive("exponent", c.exponent);
  validate(c.viscous, "viscous", "viscous_exponent");
}

inline LawTraits about(const Leuven& c) {
  LawTraits t = bristle_traits(c.states(), c.levels.static_level, c.stiffness, c.damping);
  t.switches = c.switches();
  return t;
}

} // namespace stickslip
