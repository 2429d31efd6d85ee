// The commonest transition by itself: one element of dry friction with a given load stops or breaks away while
// nothing else rests. It says the same as the general decision and leaves to that whatever is not plain.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

#include <array>

namespace stickslip {

class QuickTransition {
public:
  QuickTransition(const System& sys, RegimeCache& cache, Scratch& scratch);

  // Changes `state` as the general decision would, and says so in the jump; false: not decided here, nothing has
  // changed.
  bool apply(const Regime& now, State& state, const Guard& fired, Jump& jump);

  void signals_changed(); // constant ones have got new values

private:
  struct Edge { // what became of a regime when an element changed its mode
    const Regime* from;
    Index element;
    Mode to;
    const Regime* next;
  };
  const System& sys;
  RegimeCache& cache;
  bool usable = true;       // no contacts, no limits, no compensators
  List<bool> plain;         // elements that this knows
  List<double> effect_on_v; // of each element's force on its own velocity: negative
  List<Index> varying;
  List<Edge> edges;
  Vector s, x, slope, force;
  Matrix series, signal_terms; // nx x series_terms: x^(k) / k!; ns x series_terms
  List<std::int8_t> zeros;     // see State::zeros
  int known = 0;               // columns of `series` that are filled
  Scratch& scratch;

  double velocity(const Friction& p, const Vector& at) const;
  bool others_move(const State& state, Index element) const;
  const Regime* next(const Regime& now, Index element, Mode to);
  double term(const Regime& r, Index guard, int k);
  bool stands_still(const Regime& r, Index guard);
  bool holds(const Regime& r, Index element, const State& state, double t);
};

} // namespace stickslip
