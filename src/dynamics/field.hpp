// The right-hand side of one regime in its cheapest form, for flows that evaluate it ten times a step: constant
// signals are summed up, velocity rows hold only nonzero entries, small sizes are known to the compiler.
// evaluate() and jacobian() define the result; this class computes the same faster, for elements that only
// slide.
#pragma once

#include "core/list.hpp"
#include "dynamics/element_force.hpp"
#include "dynamics/regime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

class Field {
public:
  explicit Field(const System& sys);

  // Prepares a regime; `varying` lists the signals that are not constant, s holds the values of all others
  // and gets those of the varying ones on every call. False if the regime has parts that only evaluate()
  // supports.
  bool bind(const Regime& regime, const List<Index>& varying, double* s);
  // The pieces of the varying signals that hold during the next step.
  void frame(const List<Held>& pieces);

  // N > 0: the number of states, known to the compiler.
  template <Index N> void rhs(double t, const double* x, double* dx);
  // x' as well as d x' / d x, column by column, and the partial derivative by time.
  template <Index N> void slopes(double t, const double* x, double* dx, double* J, double* ft);

  // True if forces depend on velocities alone, along smooth curves, and nothing else varies.
  bool curves() const { return smooth_curves && drives.empty(); }
  // For one element, by its index in the regime's `sliding`: its force; a velocity over which its curve changes little.
  double force_at(Index k, double velocity) const {
    const Part& p = parts[k];
    const ElementForce<double> f = force<double>(p, velocity, nullptr, nullptr);
    return f.dry * s[p.element->load] + f.other;
  }
  struct Tangent {
    double force, slope;
  };
  Tangent tangent_at(Index k, double velocity) const {
    const Part& p = parts[k];
    const ElementForce<Dual<1>> f = force<Dual<1>>(p, Dual<1>::variable(velocity, 0), nullptr, nullptr);
    const double load = s[p.element->load];
    return {f.dry.x * load + f.other.x, f.dry.d[0] * load + f.other.d[0]};
  }
  double finest(Index k) const { return parts[k].finest; }
  double direction(Index k) const { return parts[k].mode; } // of sliding

private:
  struct Entry {
    Index at;
    double weight;
  };
  struct Drive { // a varying signal that the right-hand side sees
    Index signal, piece;
    const double* column; // of S; null if it is zero
    Held now;
    int degree;
  };
  struct Part { // an element that slides
    const Friction* element = nullptr;
    int mode = 0;
    unsigned branch = 0;
    Index begin = 0, middle = 0, end = 0; // entries of its velocity: by states, by signals
    const double* effect = nullptr;
    // The law if it is one of these alone and nothing is added to it, so that the compiler knows its type; else
    // null.
    const LuGre* lugre = nullptr;
    const Stribeck* stribeck = nullptr;
    double force = 0.0;                                      // in the last evaluation
    double finest = std::numeric_limits<double>::infinity(); // characteristic velocity of its curve
  };

  const System& sys;
  const Regime* regime = nullptr;
  double* s = nullptr;
  bool usable = false, smooth_curves = false;
  Index n = 0;
  const double* A = nullptr;
  Vector rest; // S times the constant signals
  List<Drive> drives;
  List<Part> parts;
  List<Entry> entries;
  List<Dual<2>> z, zdot; // internal states of one law, for slopes()

  bool is_plain(const Regime& r) const;
  void add_part(const Regime& r, Index k);
  void find_drives(const Regime& r, const List<Index>& varying);
  void signals(double t);
  template <Index N> void assemble(const double* x, double* dx);
  template <class T> static ElementForce<T> force(const Part& p, const T& velocity, const T* z, T* zdot) {
    if (p.stribeck != nullptr) return alone(*p.stribeck, p, velocity, z, zdot);
    if (p.lugre != nullptr) return alone(*p.lugre, p, velocity, z, zdot);
    return of_any_law(p, velocity, z, zdot);
  }
  template <class L, class T>
  static ElementForce<T> alone(const L& law, const Part& p, const T& velocity, const T* z, T* zdot) {
    const ForceOf<T> f = law_force(law, velocity, p.mode, p.branch, z, zdot, T(1.0)); // no law here reads it
    return {f.dry, f.viscous};
  }
  template <class T>
  static ElementForce<T> of_any_law(const Part& p, const T& velocity, const T* z, T* zdot) {
    ElementInput<T> in;
    in.velocity = velocity, in.z = z, in.zdot = zdot;
    return element_force(p.element->law, *p.element, p.mode, p.branch, in);
  }
  double velocity(const Part& p, const double* x) const {
    double v = 0.0;
    for (Index k = p.begin; k < p.middle; ++k) v += entries[k].weight * x[entries[k].at];
    for (Index k = p.middle; k < p.end; ++k) v += entries[k].weight * s[entries[k].at];
    return v;
  }
};

inline void Field::signals(double t) {
  for (const Drive& d : drives) s[d.signal] = value(d.now, t, d.degree);
}

template <Index N> void Field::rhs(double t, const double* x, double* dx) {
  const Index size = N > 0 ? N : n;
  signals(t);
  for (Index i = 0; i < size; ++i) dx[i] = 0.0;
  // Forces first: exponentials take longest, and all else can be done meanwhile.
  for (Part& p : parts) {
    const Index first = p.element->states;
    const ElementForce<double> f = first < 0 ? force<double>(p, velocity(p, x), nullptr, nullptr)
                                             : force(p, velocity(p, x), x + first, dx + first);
    p.force = f.dry * s[p.element->load] + f.other;
  }
  assemble<N>(x, dx);
}

// x' from the forces of the parts and the rates of their own states, which stand in dx.
template <Index N> inline void Field::assemble(const double* x, double* dx) {
  const Index size = N > 0 ? N : n;
  double local[N > 0 ? N : 1];
  double* const sum = N > 0 ? local : dx;
  for (Index i = 0; i < size; ++i) sum[i] = dx[i] + rest[i];
  for (const Drive& d : drives)
    if (d.column != nullptr)
      for (Index i = 0; i < size; ++i) sum[i] += s[d.signal] * d.column[i];
  for (Index j = 0; j < size; ++j)
    for (Index i = 0; i < size; ++i) sum[i] += A[j * size + i] * x[j];
  for (const Part& p : parts)
    for (Index i = 0; i < size; ++i) sum[i] += p.effect[i] * p.force;
  if constexpr (N > 0)
    for (Index i = 0; i < N; ++i) dx[i] = local[i];
}

template <Index N> void Field::slopes(double t, const double* x, double* dx, double* J, double* ft) {
  const Index size = N > 0 ? N : n;
  signals(t);
  for (Index i = 0; i < size; ++i) dx[i] = 0.0;
  for (Index i = 0; i < size * size; ++i) J[i] = A[i];
  for (Index i = 0; i < size; ++i) ft[i] = 0.0;
  const auto rate_of = [&](Index signal) {
    for (const Drive& d : drives)
      if (d.signal == signal) return derivative(d.now, t, 1);
    return 0.0;
  };
  for (const Drive& d : drives)
    if (d.column != nullptr) {
      const double rate = derivative(d.now, t, 1);
      for (Index i = 0; i < size; ++i) ft[i] += rate * d.column[i];
    }
  constexpr int by_velocity = 0, by_state = 1;
  for (Part& p : parts) {
    const Friction& element = *p.element;
    const Index first = element.states, own = element.traits.states;
    const double N_load = s[element.load];
    const Dual<2> v = Dual<2>::variable(velocity(p, x), by_velocity);
    ElementForce<Dual<2>> f;
    for (Index j = 0; j < own; ++j) z[j] = x[first + j];
    for (Index j = 0; j < std::max<Index>(own, 1); ++j) {
      if (own > 0) z[j] = Dual<2>::variable(x[first + j], by_state);
      f = force<Dual<2>>(p, v, z.data(), zdot.data());
      if (own == 0) break;
      z[j] = x[first + j];
      const double by_z = N_load * f.dry.d[by_state] + f.other.d[by_state];
      for (Index i = 0; i < size; ++i) J[(first + j) * size + i] += p.effect[i] * by_z;
      for (Index l = 0; l < own; ++l) J[(first + j) * size + first + l] += zdot[l].d[by_state];
    }
    p.force = f.dry.x * N_load + f.other.x;
    for (Index l = 0; l < own; ++l) dx[first + l] = zdot[l].x;
    const double by_v = N_load * f.dry.d[by_velocity] + f.other.d[by_velocity];
    for (Index k = p.begin; k < p.middle; ++k) {
      const Index j = entries[k].at;
      for (Index i = 0; i < size; ++i) J[j * size + i] += p.effect[i] * (by_v * entries[k].weight);
      for (Index l = 0; l < own; ++l) J[j * size + first + l] += zdot[l].d[by_velocity] * entries[k].weight;
    }
    double v_t = 0.0;
    for (Index k = p.middle; k < p.end; ++k) v_t += entries[k].weight * rate_of(entries[k].at);
    for (Index l = 0; l < own; ++l) ft[first + l] += zdot[l].d[by_velocity] * v_t;
    const double by_t = by_v * v_t + f.dry.x * rate_of(element.load);
    for (Index i = 0; i < size; ++i) ft[i] += p.effect[i] * by_t;
  }
  assemble<N>(x, dx);
}

} // namespace stickslip
