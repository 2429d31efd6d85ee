// Events: what a jump changed, element by element.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

#include <string>

namespace stickslip {

struct Event {
  double time = 0.0;
  std::int64_t instant = 0; // the same for all changes at one instant
  Index element = 0;        // friction elements, then contacts, controllers, springs
  Mode before = Mode::stick, after = Mode::stick;
  Occasion occasion = Occasion::motion;
  Guard fired;      // at this instant; of no kind: nothing did
  List<Guard> also; // with it
  Rule rule = Rule::unique;
  Index solutions = -1;         // how many admissible answers there were; -1 where they were not counted
  bool ambiguous = false;       // physics does not say which
  bool force_shared = false;    // forces at rest were not unique
  bool energy_gained = false;   // an impact left more energy than there was
  bool mixed_laws = false;      // the contacts struck have different laws of impact: Newton's served
  bool poisson_instead = false; // Newton's law had no answer, Poisson's served
  Sum sum = Sum::one;           // of impacts that repeat themselves
  Index impacts_before = 0;     // made at this instant before them
  bool strikes = false;         // some contact was struck
  bool impact = false;          // this one
  bool collision = true;        // false: its impact was one without
  double normal_impulse = 0.0,
         tangential_impulse = 0.0; // N s; the tangential one opposes the sliding direction +
  double loss = 0.0;               // energy lost in the impact, counted once per impact
  double wall_work = 0.0;          // done in the impact by this contact's moving wall and surface
};

// What fired, and what decided, in words; made when somebody reads them.
// told_alike, decided_alike: whether the words are the same for two events of one element.
bool told_alike(const Event& a, const Event& b);
bool decided_alike(const Event& a, const Event& b);
std::string cause_of(const System& sys, const Event& event);
std::string rule_of(const Event& event);

// The changes of a jump in the order in which they follow from each other: outputs of sampled controllers, springs,
// friction elements, contacts, limits of continuous controllers. `instant`: number of the last instant with events.
void append_events(const System& sys, const Jump& jump, std::int64_t& instant, List<Event>& events);

// Mode of a friction element, or of a detent: locked on a seat, high or low beyond or before the nearest one.
Mode friction_mode(const System& sys, const Modes& modes, Index element);
// Mode of a contact: open, what its friction does, or closed where it has none.
Mode contact_mode(const System& sys, const Modes& modes, Index contact);

inline Index element_of_loop(const System& sys, Index loop) {
  return (sys.friction.size() + sys.contacts.size()) + loop;
}
inline Index element_of_spring(const System& sys, Index spring) {
  return element_of_loop(sys, sys.loops.size()) + spring;
}

} // namespace stickslip
