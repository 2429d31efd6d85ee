// The right-hand side of one regime in the form in which it costs least, for flows that evaluate it ten times
// a step: constant signals summed up, velocity rows reduced to what is not zero, sizes known to the compiler
// where they are small. evaluate() and jacobian() say what is computed; this says the same thing faster, for
// places that only slide.
#pragma once

#include "dynamics/regime.hpp"

#include <cmath>
#include <vector>

namespace stickslip {

class Field {
public:
  explicit Field(const System& sys);

  // Takes up a regime; `varying` lists the signals that are not constant, s holds the values of all others
  // and gets those of the varying ones on every call. False if the regime has parts that only evaluate()
  // knows.
  bool bind(const Regime& regime, const std::vector<std::size_t>& varying, double* s);
  // The pieces of the varying signals that hold during the next step.
  void frame(const std::vector<const Piece*>& pieces);

  // N > 0: the number of states, known to the compiler.
  template <Index N> void rhs(double t, const double* x, double* dx);
  // x' as well as d x' / d x, column by column, and the partial derivative by time.
  template <Index N> void slopes(double t, const double* x, double* dx, double* J, double* ft);

private:
  struct Entry {
    Index at;
    double weight;
  };
  struct Drive { // a varying signal that the right-hand side sees
    std::size_t signal, piece;
    const double* column; // of S; null if it is zero
    const Piece* now;
    int degree;
  };
  struct Part { // a place that slides
    const Place* place;
    int mode;
    unsigned branch;
    std::size_t begin, middle, end; // entries of its velocity: by states, by signals
    const double* effect;
    const LuGre*
        lugre;    // the law if it is this one alone, so that the compiler sees what it evaluates; else null
    double force; // in the last evaluation
  };

  const System& sys;
  const Regime* regime = nullptr;
  double* s = nullptr;
  bool usable = false;
  Index n = 0;
  const double* A = nullptr;
  Vector rest; // S times the constant signals
  std::vector<Drive> drives;
  std::vector<Part> parts;
  std::vector<Entry> entries;
  Vector dry_z, zdot_v, zdot_z, unused;

  void signals(double t);
  double velocity(const Part& p, const double* x) const {
    double v = 0.0;
    for (std::size_t k = p.begin; k < p.middle; ++k) v += entries[k].weight * x[entries[k].at];
    for (std::size_t k = p.middle; k < p.end; ++k) v += entries[k].weight * s[entries[k].at];
    return v;
  }
};

// d/dt of a piece.
double piece_rate(const Piece& piece, double t);

inline void Field::signals(double t) {
  for (const Drive& d : drives) {
    const Piece& p = *d.now;
    const double tau = t - p.anchor;
    double value = p.c[static_cast<std::size_t>(d.degree)];
    for (int k = d.degree - 1; k >= 0; --k) value = value * tau + p.c[static_cast<std::size_t>(k)];
    for (const Harmonic& h : p.harmonics) value += h.amplitude * std::sin(h.omega * t + h.phase);
    s[d.signal] = value;
  }
}

template <Index N> void Field::rhs(double t, const double* x, double* dx) {
  const Index size = N > 0 ? N : n;
  signals(t);
  for (Index i = 0; i < size; ++i) dx[i] = 0.0;
  // Forces first: exponentials take longest, and all else can be done meanwhile.
  for (Part& p : parts) {
    const Index z = p.place->states;
    const double v = velocity(p, x);
    const Force f = p.lugre != nullptr ? bristle(*p.lugre, v, p.mode, 0U, x + z, dx + z)
                                       : evaluate(p.place->law, v, p.mode, p.branch, z >= 0 ? x + z : nullptr,
                                                  z >= 0 ? dx + z : nullptr);
    p.force = f.dry * s[p.place->load] + f.viscous;
  }
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
  rhs<N>(t, x, dx);
  for (Index i = 0; i < size * size; ++i) J[i] = A[i];
  for (Index i = 0; i < size; ++i) ft[i] = 0.0;
  const auto rate_of = [&](Index signal) {
    for (const Drive& d : drives)
      if (static_cast<Index>(d.signal) == signal) return piece_rate(*d.now, t);
    return 0.0;
  };
  for (const Drive& d : drives)
    if (d.column != nullptr) {
      const double rate = piece_rate(*d.now, t);
      for (Index i = 0; i < size; ++i) ft[i] += rate * d.column[i];
    }
  for (const Part& p : parts) {
    const Place& place = *p.place;
    const Index z = place.states, own = place.traits.states;
    const double N_load = s[place.load];
    double v_t = 0.0;
    for (std::size_t k = p.middle; k < p.end; ++k) v_t += entries[k].weight * rate_of(entries[k].at);
    const Slopes d = linearise(place.law, velocity(p, x), p.mode, p.branch, z >= 0 ? x + z : nullptr,
                               dry_z.data(), zdot_v.data(), zdot_z.data());
    const double by_v = N_load * d.dry_v + d.viscous_v;
    for (std::size_t k = p.begin; k < p.middle; ++k) {
      const Index j = entries[k].at;
      for (Index i = 0; i < size; ++i) J[j * size + i] += p.effect[i] * (by_v * entries[k].weight);
      for (Index l = 0; l < own; ++l) J[j * size + z + l] += zdot_v[l] * entries[k].weight;
    }
    for (Index j = 0; j < own; ++j) {
      for (Index i = 0; i < size; ++i) J[(z + j) * size + i] += p.effect[i] * (N_load * dry_z[j]);
      for (Index l = 0; l < own; ++l) J[(z + j) * size + z + l] += zdot_z[l * own + j];
      ft[z + j] += zdot_v[j] * v_t;
    }
    double by_t = by_v * v_t;
    const double load_rate = rate_of(place.load);
    if (load_rate != 0.0) {
      by_t += load_rate *
              evaluate(place.law, velocity(p, x), p.mode, p.branch, z >= 0 ? x + z : nullptr, unused.data()).dry;
    }
    for (Index i = 0; i < size; ++i) ft[i] += p.effect[i] * by_t;
  }
}

} // namespace stickslip
