// Search for the modes after an instant: the answers of its complementarity problem that hold for a time, and the
// choice among them.
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
    List<ForceLimit> at_limit; // limits that determine the statically indeterminate forces
    Redundancy open;
    List<std::int8_t> zeros; // see State::zeros
  };
  List<Admitted> admitted;
  List<ForceLimit> broken; // contradicting limits if no sharing exists
  List<int> overrun;       // directions in which elements leave that exceed a limit; empty: none does
  bool doubted = false;    // a candidate was refused for what is not known exactly
};

// Chooses the modes, into the state; the answer is in search.answer. False: there is none, see jump.none_exists.
bool choose_modes(Instant& at, const ActiveSet& active, const List<Guard>& fired, ModeProblem& posed,
                  ModeSearch& search);

// admissible.cpp: true if a candidate holds on an interval after t, not at t alone. The state keeps its modes. leaving:
// see contact::Admissible.
bool is_admissible(Instant& at, const ActiveSet& active, const ModeProblem& posed,
                   const contact::Candidate& c, List<std::uint8_t>& leaving, ModeSearch& search);

} // namespace stickslip
