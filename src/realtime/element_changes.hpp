// Mode changes of friction elements and of springs' flanks at the start of a base step. Rigid contacts have their own:
// contact_instant.hpp.
#pragma once

#include "realtime/base_step.hpp"

namespace stickslip {

class ElementChanges {
public:
  ElementChanges(const System& sys, const StepClock& clock, LocalMachine& local, PlannedModes& modes,
                 BaseStep& step);

  void make_room() { guards.resize(modes.most_guards() + 2); } // for those of all plans so far, in pairs
  // At the start of a run: friction of a compliant contact always slides; its force vanishes with its load.
  void slide_on_compliant() noexcept;
  // A jump of the surface velocity between two steps ends sticking. True if modes changed.
  bool follow_jumps(const DrivenSignals& driven) noexcept;
  // Surfaces that part from their bodies end sticking: those along a prescribed motion, and of several on one body the
  // weakest, until the others rest. True if modes changed.
  bool leave_parting_surfaces() noexcept;
  // The memory of an element whose load has come begins anew.
  void begin_under_load() noexcept;
  // An element sticks, too, whose body others hold: its own guard need not have fired. True if modes changed.
  bool rest_with_others() noexcept;

  // Mode change of the element of a guard of the present regime.
  void fire(const Guard& g) noexcept;
  // Releases holding elements whose new forces exceed their limits, each at most once.
  void release_beyond() noexcept;
  void end_instant() noexcept { came_from.setZero(); }

private:
  const System& sys;
  const StepClock& clock;
  LocalMachine& local;
  PlannedModes& modes;
  BaseStep& step;
  Vector came_from;     // direction of slip of those that came to rest at this instant
  List<Index> remember; // elements with a memory whose load may come and go
  List<char> loaded;    // of these
  List<double> guards;

  double velocity(Index element) noexcept; // relative,
  double load(Index element) noexcept;     // both at the start of the step
  Index weakest_parting() noexcept;
  const Guard* furthest_beyond() noexcept;
  void pass_corner(const Guard& g) noexcept;
  void stop(Index i) noexcept;
  void release(Index i, int side) noexcept;
  bool moves_towards(Index i, int side) noexcept;
};

} // namespace stickslip
