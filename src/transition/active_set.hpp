// The active set of an instant: contacts that may be closed from now on, and friction elements that may rest.
#pragma once

#include "core/list.hpp"
#include "transition/instant.hpp"

namespace stickslip {

struct ActiveSet {
  List<bool> touching; // contacts whose gap and its rate are zero: closed or about to open
  List<bool> rests;    // elements whose velocity is zero and whose mode is open
  List<int> leaves;    // of those that rest and have reached a limit: the side to which they leave; else 0
  List<bool> stopped;  // elements whose velocity has come to zero
  List<bool> seated;   // detents that have come to their seat
  bool struck = false; // an impact has changed velocities at this instant

  // An element without a contact always touches.
  bool touches(const System& sys, const Modes& modes, Index i) const;
  // The element's force depends on that of a contact which may be closed: it is part of the problem even while it
  // slides.
  bool loaded_by_contact(const System& sys, Index i) const {
    const Index c = loading_contact(sys.friction[i]);
    return c >= 0 && touching[c];
  }
};

// After the impacts: contacts that touch; the others are open. No element rests yet.
void find_touching(Instant& at, ActiveSet& active);

// Elements that rest, and the modes of those that move. `broken`: contradicting limits of shared forces at a fired
// guard.
void find_resting(Instant& at, const List<Guard>& fired, const List<ForceLimit>& broken, ActiveSet& active);

// x' in at.xdot without the forces of elements that rest or depend on a contact force.
void free_acceleration(Instant& at, const ActiveSet& active);

// Velocities of resting elements, of presliding ones that have just come to rest, and the rates of closed gaps are
// set to zero exactly, with the least change of kinetic energy; detents that rest are exactly on their seats.
void project(Instant& at, const ActiveSet& active);

} // namespace stickslip
