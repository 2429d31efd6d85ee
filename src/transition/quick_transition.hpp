// Shortcut for the most frequent transition: one dry friction element with a given load stops or breaks away while no
// other element rests. Gives the same result as the general decision, to which it leaves every degenerate case.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

#include <array>

namespace stickslip {

class QuickTransition {
public:
  QuickTransition(const System& sys, RegimeCache& cache, Scratch& scratch);

  // Changes `state` and the jump as the general decision would; false: not applicable, and nothing has changed.
  bool apply(const Regime& now, State& state, const Guard& fired, Jump& jump);

  void signals_changed(); // constant ones have got new values

private:
  struct Edge { // result of a mode change of an element in a regime
    const Regime* from;
    Index element;
    Mode to;
    const Regime* next;
  };
  const System& sys;
  RegimeCache& cache;
  bool usable = true;       // no contacts, no limits, no compensators
  List<bool> plain;         // elements to which this shortcut applies
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
