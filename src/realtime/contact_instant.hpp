// One instant of a linear machine with rigid contacts in the fixed-step form, in the order of transition/ and by its
// functions, with room made in advance:
//   strike()   impacts, one after the other                      impact.hpp
//   choose()   what touches and what rests                       active_set.hpp
//              the complementarity problem in accelerations      mode_problem.hpp
//              its answer, static to kinetic friction included   rules.hpp
// Where rigidity leaves a normal force open (two supports of one body, or a stop beside friction that sticks), the motion is
// that of sets of modes in which nothing is open: one support alone carries, or friction keeps its kinetic level at v = 0.
// Steps of unbounded work are left out: a look at higher derivatives (where these decide, the present modes go on and
// their guards watch), limits of impacts in rapid succession (the fixed step bounds their number), and an impact without
// collision (Painleve).
#pragma once

#include "core/list.hpp"
#include "transition/impacts.hpp"
#include "transition/mode_problem.hpp"
#include "transition/rules.hpp"

namespace stickslip {

class ContactInstant {
public:
  // first: the state from which the machine starts.
  ContactInstant(const System& system, RegimeCache& regimes, const State& first);

  // Decides what follows from these guards at t, in x and modes, under these signals. rebounds: impacts have their
  // restitution; else none. False where no answer was found: then modes stay.
  bool decide(double t, const double* signals, const List<Guard>& fired, bool rebounds, double* x,
              Modes& modes) noexcept;

  // Friction elements of one body share what they hold, which takes memory.
  void share_friction();
  // Every set of modes is tried one by one, which takes no memory.
  bool bounded() const { return few_modes; }
  // Sum of the normal impulses of a contact so far.
  double impulse(Index contact) const { return impulses(contact); }

  // Asks the caller if a motion in these modes lasts, starting from x.
  struct Lasts {
    bool (*call)(void* self, const Modes& modes, const double* x) noexcept = nullptr;
    void* self = nullptr;
  } lasts;
  List<Guard> fired; // room for the caller's

private:
  // Room for a number of contacts and of friction elements: Eigen's matrices keep their memory as long as they keep their size.
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
  List<Guard> causes; // what the modes are decided by
  Modes tried;
  Vector impulses;
  bool few_modes = true;

  void make_room();
  Index count_mode_sets() const;
  void begin(double t, const double* signals, const double* x, const Modes& modes);
  bool strike(bool rebounds);
  bool strike_once(bool rebounds);
  void find_approaching();
  bool choose();
  bool search(ModeProblem& posed);
};

bool has_rigid_contacts(const System& sys);

} // namespace stickslip
