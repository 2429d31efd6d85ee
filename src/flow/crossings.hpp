// Which guards fire in a step, from their polynomials: the first crossing of each, and the guards that fire first.
#pragma once

#include "core/roots.hpp"
#include "core/tolerances.hpp"
#include "flow/guard_polynomials.hpp"
#include "flow/options.hpp"
#include "flow/right_hand_side.hpp"
#include "flow/step.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

// Guards that fire within this time of each other fire together.
inline double same_instant(const State& state) {
  return tolerance::last_digits * std::abs(state.base_t) + tolerance::rounding * state.time_scale;
}

class Crossings {
public:
  static constexpr double never = 2.0; // behind the end of the step

  Crossings(const System& sys, const Options& options, RightHandSide& rhs, const GuardPolynomials& series);

  // True if any guard fires in this step.
  bool find(const Regime& r, const State& state, const Step& step);
  // Ends the step at the earliest of them, with all that fire together.
  void fire(const Regime& r, const State& state, Step& step) const;
  Index earliest() const { return std::min_element(theta.begin(), theta.end()) - theta.begin(); }
  // Sizes of the terms of formulas; find() calls it.
  void size_formulas(const Regime& r, const State& state);
  // Size of the terms of a gap or formula; 0 for any other guard.
  double size_of_formula(const Guard& guard, const State& state) const;

  List<double> theta; // of each guard's first crossing, `never` if there is none
  List<double> shift; // threshold of each guard

private:
  // A guard's polynomial in this step, from which rounding is cleared, and the size of its terms.
  struct Course {
    double* c;
    Index degree;
    double size;

    double first() const;
  };

  const System& sys;
  const Options& options;
  RightHandSide& rhs;
  const GuardPolynomials& series;
  Vector condition_sizes, load_sizes;
  Vector xdot, shared_force;  // at the start of the step
  double shared_change = 0.0; // what the greatest margin or multiplier of shared forces comes to in the step
  double shared_error = 0.0;  // of shared forces, due to the error of the motion

  void size_shared_forces(const Regime& r, const State& state, FlowKind kind);
  double crossing(const Regime& r, const State& state, const Step& step, Index k, Course course);
  double guard_size(const Regime& r, const State& state, Index k, FlowKind kind) const;
  double zero_at_start(const Guard& guard, const State& state, FlowKind kind, const Course& course,
                       double whole) const;
  double band(const Regime& r, const State& state, Index k) const;
  double crossing_of_load(const Course& course, double size) const;
  double crossing_undecided(const Guard& guard, const State& state, const Step& step, const Course& course,
                            double whole) const;
  void clear_rounding(const Guard& guard, const State& state, const Step& step, const Course& course) const;
  bool only_touches(const Course& course, const Contact& contact, const State& state, double h) const;
  Crossing crossing_of_opening(const Course& course, FlowKind kind, double noise) const;
};

} // namespace stickslip
