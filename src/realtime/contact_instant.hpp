// One instant of a linear machine with rigid contacts in the fixed-step form, in the order of transition/ and with its
// functions, in preallocated memory:
//   strike()   impacts in succession                             impact.hpp
//   choose()   contacts that touch, elements at rest             active_set.hpp
//              the complementarity problem in accelerations      mode_problem.hpp
//              its answer, static to kinetic friction included   rules.hpp
// If a normal force is statically indeterminate (two supports of one body, or a stop beside sticking friction), the
// motion is that of determinate sets of modes: one support alone carries the load, or friction keeps its kinetic level
// at v = 0. Steps of unbounded work are omitted: decisions by higher derivatives (if these decide, the present modes
// stay and their guards are monitored), limits of impacts in rapid succession (the fixed step bounds their number), and
// an impact without collision (Painleve).
#pragma once

#include "core/list.hpp"
#include "transition/impacts.hpp"
#include "transition/mode_problem.hpp"
#include "transition/rules.hpp"

namespace stickslip {

class ContactInstant {
public:
  // first: the initial state of the machine.
  ContactInstant(const System& system, RegimeCache& regimes, const State& first);

  // Decides the modes after these guards at t, in x and modes, for these signals. rebounds: impacts have their
  // restitution; else none. False if no answer was found: then modes stay.
  bool decide(double t, const double* signals, const List<Guard>& fired, bool rebounds, double* x,
              Modes& modes) noexcept;

  // Distributes friction forces among the elements of one body, which allocates.
  void share_friction();
  // Every set of modes can be enumerated without allocation.
  bool bounded() const { return few_modes; }
  // Sum of the normal impulses of a contact so far.
  double impulse(Index contact) const { return impulses(contact); }

  // Callback: a motion in these modes, starting from x, lasts.
  struct Lasts {
    bool (*call)(void* self, const Modes& modes, const double* x) noexcept = nullptr;
    void* self = nullptr;
  } lasts;
  List<Guard> fired; // workspace of the caller

private:
  // Memory for a number of contacts and of friction elements: Eigen's matrices keep their memory as long as they keep
  // their size.
  struct Room {
    ModeProblem modes;
    PosedImpact impact;
    contact::ImpactWorkspace impacts;

    void reserve(const System& sys, Index contacts, Index elements, Index sets); // sets: of modes in impacts
  };

  const System& sys;
  State state;
  Scratch scratch;
  Jump record;
  Instant at;
  ActiveSet active;
  List<List<Room>> rooms;
  contact::TransitionWorkspace work;
  contact::Choice answer;
  List<Index> tangents; // friction elements of each contact
  List<Index> struck, approaching;
  List<bool> touched;
  List<Guard> causes; // guards that decide the modes
  Modes tried;
  Vector impulses;
  bool few_modes = true;

  void make_room();
  Index count_mode_sets() const;
  void begin(double t, const double* signals, const double* x, const Modes& modes);
  void stop_at_lift_off();
  bool strike(bool rebounds);
  bool strike_once(bool rebounds);
  void find_approaching();
  bool choose();
  bool search(ModeProblem& posed);
};

bool has_rigid_contacts(const System& sys);

} // namespace stickslip
