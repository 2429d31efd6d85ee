// Equilibria of a machine in which elements stick: a polyhedron of states and holding forces. All rows are over the
// states, the forces of the holding elements, the normal forces of the closed contacts, and 1.
#pragma once

#include "dynamics/compiled.hpp"
#include "dynamics/state.hpp"

#include <memory>

namespace stickslip {

struct Statics {
  List<Index> holding, closed; // friction elements, contacts
  Matrix rates;                // x' at rest: all zero
  Matrix equalities;           // constraints and gaps of closed contacts: zero
  // Limits of holding forces, normal forces, gaps of open contacts, ends of spring segments and limits of controllers:
  // not negative.
  Matrix inequalities;
};

// With contacts, springs and controllers in the modes of `at`. Elements whose surface moves slide. For a machine that is
// not linear the rows hold at the positions of `at` alone.
Statics statics(const std::shared_ptr<Compiled>& machine, const State& at);

} // namespace stickslip
