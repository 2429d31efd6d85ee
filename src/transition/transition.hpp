// What comes after an event: the choice of modes for everything that may change at one instant.
#pragma once

#include "dynamics/state.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

struct Event {
  double time = 0.0;
  std::int64_t instant = 0; // the same for all changes at one instant
  Index element = 0;        // place, then contacts, then controllers
  Mode before = Mode::stick, after = Mode::stick;
  Guard fired; // the one guard that says the cause; of no kind: `text` says it
  std::string text;
  std::string_view rule;      // what decided: "unique", "present mode", "static to kinetic", ...
  bool force_shared = false;  // forces at rest were not unique
  bool energy_gained = false; // an impact left more energy than there was
  Index solutions = -1;       // how many admissible answers there were; -1 where they were not counted
  bool ambiguous = false;
  bool impact = false;
  double normal_impulse = 0.0,
         tangential_impulse = 0.0; // N s; the tangential one opposes the sliding direction +
  double loss = 0.0;               // energy lost in the impact, counted once per impact
  double wall_work = 0.0;          // done in the impact by this contact's moving wall and surface
};

// What fired, and what decided, in words; made when somebody reads them.
std::string cause_of(const System& sys, const Event& event);
std::string rule_of(const Event& event);

enum class TransitionStatus { decided, undecided };

struct TransitionLog {
  std::vector<Event> events;
  TransitionStatus status = TransitionStatus::decided;
};

class Decision;

// Changes modes and, where velocities are set exactly, x, at state.base_t. Made once per run.
class Transition {
public:
  Transition(const System& sys, RegimeCache& cache);
  ~Transition();

  // `fired` are guards of the present regime; empty at the start, at kinks of signals and at ticks.
  void decide(State& state, const std::vector<Guard>& fired, bool start, TransitionLog& log);

private:
  const System& sys;
  RegimeCache& cache;
  std::unique_ptr<Decision> decision;
};

// Mode of a contact: open, what its friction does, or closed where it has none.
Mode contact_mode(const System& sys, const Modes& modes, std::size_t contact);

inline Index element_of_loop(const System& sys, Index loop) {
  return static_cast<Index>(sys.places.size() + sys.contacts.size()) + loop;
}

} // namespace stickslip
