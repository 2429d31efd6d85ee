// The complementarity problem of one instant: a = free + G [lambda_N; -F] over the contacts that touch, the elements that
// rest, and those that slide under a contact's force.
#pragma once

#include "core/list.hpp"
#include "transition/active_set.hpp"
#include "transition/problem.hpp"

namespace stickslip {

struct ModeProblem {
  List<Index> closed, elements; // contacts, then friction elements: the problem's components
  List<Index> number;           // of each contact among `closed`; -1: it has no part
  contact::Problem problem;
  Matrix rows, columns; // velocities of the components; changes of x' per unit of their forces
  List<Mode> present;   // before this instant
  List<contact::Allowed> allowed;
  Index order = 0; // power of time of the terms that the problem is made of; > 0: nothing acts at the instant
  double pace = 1.0; // the time in which coefficients of series count

  Index size() const { return problem.size(); }
  // Of what a guard is of; -1: it has no part in the problem.
  Index component_of(const Guard& g) const;
  // Modes hang on the component's acceleration: not on that of a surface on which something slides.
  bool decides(Index k, const ActiveSet& active) const {
    return k < closed.size() || active.rests[elements[k - closed.size()]];
  }
  // Acceleration of a component's own wall or surface, which signals make.
  const Vector& own_acceleration(const System& sys, Index k) const {
    const Index q = k - closed.size();
    return q < 0 ? sys.contacts[closed[k]].acceleration_s : sys.friction[elements[q]].acceleration_s;
  }
  // Modes of an answer.
  void apply(const contact::Candidate& c, const ActiveSet& active, Modes& modes) const;
};

void pose(Instant& at, const ActiveSet& active, ModeProblem& out);
// The same from the forces of the instant itself: not where only signals that begin to act tell anything. Takes no memory
// once it has seen as many components.
void pose_forces(Instant& at, const ActiveSet& active, ModeProblem& out);

// Modes that the guards that have fired still allow.
void narrow(const ActiveSet& active, const List<Guard>& fired, ModeProblem& posed);

// Limits of an element that rests, as its mode holds it.
contact::Element element_at_rest(const Instant& at, Index i);

// waking.cpp: no force acts at this instant on what rests or touches, nor grows with the motion: none that would give
// more than the last digits of a velocity within the machine's own time, where signals begin to do so.
bool is_silent(Instant& at, const ActiveSet& active, const ModeProblem& posed);
// Where nothing acts yet, what signals begin to do decides, of whatever power of time: the problem is that of their
// first terms, small beside what friction can give, and the time in which terms count is the signals' own.
void wake(Instant& at, const ActiveSet& active, ModeProblem& posed);

} // namespace stickslip
