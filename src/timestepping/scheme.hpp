// One step of the scheme, with the modes and impulses that its problem leads to.
#pragma once

#include "flow/options.hpp"
#include "timestepping/step_problem.hpp"
#include "transition/jump.hpp"

namespace stickslip {

class Scheme {
public:
  // tangent: of a machine that is not linear; else null.
  Scheme(const System& sys, Tangent* tangent, const Options& options);

  // From state.base_t to x1, with the modes there. False if the problem has no solution.
  bool step(State& state, Vector& x1);
  Jump jump; // of the last step, from its start to its end

private:
  const System& sys;
  Tangent* tangent;
  double rebound; // the greatest speed of a contact that stays closed, relative to its size
  ThetaMap map;
  StepProblem problem;

  void add_smooth_forces(const State& state, const Vector& before, Vector& x1) const;
  void choose_sides(State& state, double t, const Vector& x) const;
  void label_contacts(State& state, const Vector& after) const;
  void label_elements(State& state, const Vector& after) const;
  void note_impulses(const Vector& before, const Vector& after);
};

} // namespace stickslip
