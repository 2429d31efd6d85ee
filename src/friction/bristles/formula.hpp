// A law that the user has written as formulas: dry force per unit load and rates of the internal states,
//   F = f(v, N, z),   dz/dt = r(v, N, z).
// With a level there is a jump at v = 0: at rest the force may be anything up to the level, in both directions.
#pragma once

#include "core/list.hpp"
#include "expression/tape.hpp"
#include "friction/common.hpp"

#include <string>

namespace stickslip {

struct Formula {
  static constexpr bool is_bristle = true;
  static constexpr Index most_slots = 512; // of a tape: it is evaluated on the stack

  // Inputs of all: "v", "load", the states, the parameters.
  Tape motion; // the force, and the rate of each state
  Tape level;  // one output; empty: no jump
  Tape reset;  // the states after a stop (with a level) or a reversal (without); empty: as they were
  List<std::string> names; // of the states
  List<double> start;
  List<std::string> parameters;
  List<double> values;
  List<std::string>
      units; // of the states, then of the parameters, as the user wrote them; empty: none is known

  Index states() const { return names.size(); }
  std::string state_name(Index i) const { return names[i]; }
  bool sticks() const { return !level.outputs.empty(); }
  bool resets() const { return !reset.outputs.empty(); }

  static constexpr auto fields() {
    using F = Formula;
    return std::tuple{field("motion", &F::motion), field("level", &F::level),
                      field("reset", &F::reset),   field("names", &F::names),
                      field("start", &F::start),   field("parameters", &F::parameters),
                      field("values", &F::values), field("units", &F::units)};
  }
};

// Conditions on the sign of v are decided by the direction.
template <class T>
ForceOf<T> bristle(const Formula& c, const T& v, int direction, unsigned, const T* z, T* zdot, const T& load);

// Sliding at v until the rates are zero; states that do not settle keep their start.
void settle(const Formula& c, double v, int direction, double* z, double load);
// Sizes of the states: of the start, where it is zero of what they settle to.
void sizes(const Formula& c, double* out);
// The force when the states have settled, or do not change it any more; NaN where there is no such force.
template <class T> ForceOf<T> curve(const Formula& c, const T& v, int direction, double load);

Interval rest(const Formula& c, const double* z, double load); // z null: at the start
void rates_at_rest(const Formula& c, double part, const double* z, double* zdot, double load);
void on_turn(const Formula& c, int direction, double* z);
// Conditions besides the sign of v.
Index bend_count(const Formula& c);
void bends(const Formula& c, double v, int direction, const double* z, double load, double* out);
void validate(const Formula& c);
LawTraits about(const Formula& c);

} // namespace stickslip
