// The complementarity problem of one instant: a = free + G [lambda_N; -F] over the contacts that touch, the elements that
// rest, and those that slide under a contact's force.
#pragma once

#include "core/list.hpp"
#include "transition/active_set.hpp"
#include "transition/problem.hpp"

namespace stickslip {

struct ModeProblem {
  List<Index> closed, elements; // contacts, then friction elements: the components of the problem
  List<Index> number;           // index of each contact in `closed`; -1: not part of the problem
  contact::Problem problem;
  Matrix rows, columns; // velocities of the components; changes of x' per unit of their forces
  List<Mode> present;   // modes before this instant
  // Friction along prescribed motions, which is no unknown, under contacts that touch.
  struct Rider {
    Index element, contact;
    FrictionMode mode;
  };
  List<Rider> riders;
  List<contact::Allowed> allowed;
  Index order = 0;   // power of time of the terms in the problem; > 0: no force acts at the instant itself
  double pace = 1.0; // time unit of the coefficients of series

  Index size() const { return problem.size(); }
  // Component of a guard; -1: not part of the problem.
  Index component_of(const Guard& g) const;
  // Modes depend on the acceleration of this component; false for a surface on which an element slides.
  bool decides(Index k, const ActiveSet& active) const {
    return k < closed.size() || active.rests[elements[k - closed.size()]];
  }
  // Acceleration of a component's own wall or surface, prescribed by signals.
  const Vector& own_acceleration(const System& sys, Index k) const {
    const Index q = k - closed.size();
    return q < 0 ? sys.contacts[closed[k]].acceleration_s : sys.friction[elements[q]].acceleration_s;
  }
  // Any modes, but that contacts which hold a constraint never open.
  void allow_all(const System& sys);
  // Enters the modes of an answer.
  void apply(const contact::Candidate& c, const ActiveSet& active, Modes& modes) const;
};

void pose(Instant& at, const ActiveSet& active, ModeProblem& out);
// The same from the forces of the instant alone, not for machines whose loads only begin to act. Does not allocate
// after the first problem of the same size.
void pose_forces(Instant& at, const ActiveSet& active, ModeProblem& out);

// Narrows the modes to those that the fired guards allow.
void narrow(const ActiveSet& active, const List<Guard>& fired, ModeProblem& posed);

// Limits of an element at rest, according to its mode.
contact::Element element_at_rest(const Instant& at, Index i);

// waking.cpp: no force acts at this instant on components at rest or in contact, nor grows with the motion by more than
// the rounding error of a velocity within the shortest time constant; only signals begin to act.
bool is_silent(Instant& at, const ActiveSet& active, const ModeProblem& posed);
// For machines without forces at this instant: poses the problem with the first terms of the signals, of any power of
// time, scaled to be small compared with friction; the time unit of the coefficients is that of the signals.
void wake(Instant& at, const ActiveSet& active, ModeProblem& posed);

} // namespace stickslip
