// Impulses of contacts and friction elements in one step: a complementarity problem in velocities.
#pragma once

#include "timestepping/theta_map.hpp"
#include "transition/rules.hpp"

namespace stickslip {

class StepProblem {
public:
  explicit StepProblem(const ThetaMap& map);

  // Contacts that take part, their gaps being closed, and friction elements with a jump at v = 0.
  void find_active(const State& state);
  // Impulses that take the velocities `before`, at the start of the step, and `free`, at its end without impulses, to
  // admissible ones. False if there are none.
  bool solve(const State& state, const Vector& before, const Vector& free);

  const List<Index>& active_contacts() const { return contacts; }
  const List<Index>& active_elements() const { return elements; }
  Mode mode_of_contact(Index k) const { return found.answer.modes[k]; } // of those that are active
  Mode mode_of_element(Index k) const { return found.answer.modes[contacts.size() + k]; }
  const contact::Choice& choice() const { return found; }
  // Of all contacts, then with the opposite sign of all elements, zero of those that are not active.
  const Vector& impulses() const { return impulse; }

private:
  const ThetaMap& map;
  const System& sys;
  List<Index> contacts, elements;
  List<Index> number; // of each contact among the active ones; -1: not active
  contact::Problem problem;
  contact::TransitionWorkspace work;
  contact::Choice found;
  List<Mode> present;
  List<contact::Allowed> allowed;
  Vector impulse;

  Index row(Index k) const {
    const Index m = contacts.size();
    return k < m ? contacts[k] : sys.contacts.size() + elements[k - m];
  }
  void pose(const State& state, const Vector& before, const Vector& free);
  void pose_element(Index i, double v, const FrictionMode& mode);
  bool choose();
};

} // namespace stickslip
