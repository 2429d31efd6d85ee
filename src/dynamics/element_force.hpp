// Force and rates of the internal states of one friction element that is not a constraint, in all its modes.
// A template on the scalar: numbers for the flow, numbers with derivatives for its Jacobian.
#pragma once

#include "friction/law.hpp"
#include "model/system.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace stickslip {

template <class T> struct ElementInput {
  T velocity = 0.0;       // relative
  T load = 1.0;           // normal load N; 1 on a contact, whose force multiplies `dry` instead
  T memory = 0.0;         // lagged force, delayed velocity, or the displacement of elastic presliding
  T peak = 1.0;           // height of the peak after a dwell, in units of the static level
  T injected = 0.0;       // added by an observer to its bristle,
  T injection_rate = 0.0; // and its rate
  const T* z = nullptr;   // internal states of the law; their rates go to `zdot`
  T* zdot = nullptr;
};

// F = dry N + other
template <class T> struct ElementForce {
  T dry = 0.0;         // per unit normal load: the part that follows the load at once
  T other = 0.0;       // N
  T memory_rate = 0.0; // of the lagged force or of the presliding displacement
};

// On a contact every part is per unit of its normal force, the viscous one too: nothing rubs without a load.
template <class T>
ElementForce<T> all_per_load(const T& dry, const T& viscous,
                             const std::type_identity_t<T>& memory_rate = 0.0) {
  return {dry + viscous, 0.0, memory_rate};
}

// The law, or its single term, whose type the compiler then knows.
template <class L, class T>
ForceOf<T> law_force(const L& law, const T& v, int direction, unsigned branch,
                     const std::type_identity_t<T>* z, std::type_identity_t<T>* zdot,
                     const std::type_identity_t<T>& load) {
  if constexpr (std::is_same_v<L, Law>)
    return evaluate(law, v, direction, branch, z, zdot, load);
  else if constexpr (requires { L::is_bristle; })
    return bristle(law, v, direction, branch, z, zdot);
  else
    return curve(law, v, direction);
}

// Dry force per unit load of the sliding curve with its peak at `peak` times the static level, after a dwell.
template <class T> T with_peak(const Friction& element, const T& dry, const T& peak) {
  const double rise = element.break_away - element.kinetic;
  if (rise <= 0.0) return dry;
  const T side(value_of(dry) < 0.0 ? -1.0 : 1.0);
  const T shape = (side * dry - T(element.kinetic)) / T(rise); // 1 at v = 0, 0 far away
  return side * (T(element.kinetic) + (peak * T(element.break_away) - T(element.kinetic)) * shape);
}

// Sliding curve or bristle, with the peak that a dwell has left: dry part per unit load, and viscous part.
template <class L, class T>
ForceOf<T> sliding_force(const L& law, const Friction& element, int direction, unsigned branch,
                         const T& velocity, const T& peak, const std::type_identity_t<T>* z,
                         std::type_identity_t<T>* zdot, const std::type_identity_t<T>& load) {
  ForceOf<T> f = law_force(law, velocity, direction, branch, z, zdot, load);
  if (element.peak >= 0) f.dry = with_peak(element, f.dry, peak);
  return f;
}

// Dead time: dry force per unit load of the curve at the velocity that was, against the direction that is. Zero says
// that it stuck then: the level at which it broke away.
template <class L, class T>
T delayed_dry(const L& law, const Friction& element, int direction, const T& past, const T& peak,
              const std::type_identity_t<T>& load) {
  const T side(direction);
  if (value_of(past) == 0.0) return side * peak * T(element.break_away);
  const T speed = value_of(past) < 0.0 ? T(0.0) - past : past;
  return sliding_force(law, element, direction, 0U, side * speed, peak, nullptr, nullptr, load).dry;
}

// Spring constant of elastic presliding, k = f_s / s_max.
template <class T> T presliding_stiffness(const Friction& element, const T& N) {
  return T(element.break_away / element.automaton.travel) * N;
}

// direction: side of slip; 0 only in elastic presliding, where the surface at rest is a spring and a damper.
template <class L, class T>
ElementForce<T> element_force(const L& law, const Friction& element, int direction, unsigned branch,
                              const ElementInput<T>& in) {
  const Automaton& a = element.automaton;
  if (direction == 0)
    return element.contact < 0 ? ElementForce<T>{presliding_stiffness(element, in.memory),
                                                 T(a.surface_damping) * in.velocity, in.velocity}
                               : all_per_load(presliding_stiffness(element, in.memory),
                                              T(a.surface_damping) * in.velocity, in.velocity);
  const T* z = in.z;
  T with_injection = 0.0; // of an observer, whose law has just one state
  if (element.injected >= 0) {
    with_injection = *z + in.injected;
    z = &with_injection;
  }
  ForceOf<T> f = sliding_force(law, element, direction, branch, in.velocity, in.peak, z, in.zdot, in.load);
  if (element.delayed >= 0) f.dry = delayed_dry(law, element, direction, in.memory, in.peak, in.load);
  if (element.injected >= 0) f.dry += T(element.rate_damping) * in.injection_rate;
  const bool on_contact = element.contact >= 0;
  if (element.lagged < 0)
    return on_contact ? all_per_load(f.dry, f.viscous) : ElementForce<T>{f.dry, f.viscous};
  // T f' + f = N f_Stribeck(|v|); the lagged force acts against the direction of sliding.
  const T side(direction);
  const T rate = (in.load * f.dry * side - in.memory) / T(a.lag);
  if (on_contact) return all_per_load(in.memory * side, f.viscous, rate);
  return {0.0, in.memory * side + f.viscous, rate};
}

// The state that `memory` is; -1: none.
inline Index memory_of(const Friction& element, int direction) {
  if (direction == 0) return element.surface_travel;
  return element.delayed >= 0 ? element.delayed : element.lagged;
}

} // namespace stickslip
