// The modes after an instant: the answers of its complementarity problem that hold for a time, and which of them is taken.
#pragma once

#include "core/list.hpp"
#include "transition/mode_problem.hpp"
#include "transition/rules.hpp"

namespace stickslip {

struct ModeSearch {
  contact::TransitionWorkspace work;
  contact::Choice answer;
  Modes entry; // before candidates are tried
  Vector entry_x;
  Matrix series; // of guards, see guard_series.hpp
  // Results for a candidate that was found admissible.
  struct Admitted {
    List<Mode> modes;
    List<ForceLimit> at_limit; // limits that hold the forces which rigidity leaves open
    Redundancy open;
    List<std::int8_t> zeros; // see State::zeros
  };
  List<Admitted> admitted;
  List<ForceLimit> broken; // limits that contradict each other where there is no sharing
  List<int> overrun;       // sides to which elements leave that pass a limit; empty: none does
  Vector parting;          // how surfaces part that cannot all hold a body, see supports.hpp; empty: none do
};

// Chooses the modes, into the state; the answer is in search.answer. False: there is none, see jump.none_exists.
bool choose_modes(Instant& at, const ActiveSet& active, const List<Guard>& fired, ModeProblem& posed,
                  ModeSearch& search);

// admissible.cpp: a candidate holds on an interval after t, not at t alone. Leaves it applied to the state.
bool is_admissible(Instant& at, const ActiveSet& active, const ModeProblem& posed,
                   const contact::Candidate& c, ModeSearch& search);

} // namespace stickslip
