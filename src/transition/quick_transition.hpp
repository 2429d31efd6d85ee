// The commonest transition by itself: one place of dry friction with a given load stops or breaks away while
// nothing else rests. It says the same as the general decision and leaves to that whatever is not plain.
#pragma once

#include "transition/jump.hpp"

#include <array>
#include <vector>

namespace stickslip {

class QuickTransition {
public:
  QuickTransition(const System& sys, RegimeCache& cache, Scratch& scratch);

  // Changes `state` as the general decision would, and says so in the jump; false: not decided here, nothing has
  // changed.
  bool apply(const Regime& now, State& state, const Guard& fired, Jump& jump);

  void signals_changed(); // constant ones have got new values

private:
  struct Edge { // what became of a regime when a place changed its mode
    const Regime* from;
    Index place;
    Mode to;
    const Regime* next;
  };
  const System& sys;
  RegimeCache& cache;
  bool usable = true;              // no contacts, no limits, no compensators
  std::vector<bool> plain;         // places that this knows
  std::vector<double> effect_on_v; // of each place's force on its own velocity: negative
  std::vector<std::size_t> varying;
  std::vector<Edge> edges;
  Vector s, x, slope, force;
  Matrix series, signal_terms; // nx x series_terms: x^(k) / k!; ns x series_terms
  int known = 0;               // columns of `series` that are filled
  Scratch& scratch;

  double velocity(const Place& p, const Vector& at) const;
  bool others_move(const State& state, std::size_t place) const;
  const Regime* next(const Regime& now, std::size_t place, Mode to);
  double term(const Regime& r, Index guard, int k);
  bool stands_still(const Regime& r, Index guard);
  bool holds(const Regime& r, std::size_t place, const State& state, double t);
};

} // namespace stickslip
