// Events: the changes made by a jump, element by element.
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
  Guard fired;      // at this instant; without a kind: no guard fired
  List<Guard> also; // other guards at the same instant
  Rule rule = Rule::unique;
  Index solutions = -1;         // number of admissible answers; -1 if they were not counted
  bool ambiguous = false;       // tied answers that no rule distinguishes
  bool force_shared = false;    // holding forces were not unique
  bool energy_gained = false;   // the energy after an impact exceeds that before
  bool mixed_laws = false;      // contacts of the impact have different impact laws: Newton's was used
  bool poisson_instead = false; // Newton's law had no answer, Poisson's was used
  Sum sum = Sum::one;           // for repeated impacts
  Index impacts_before = 0;     // number of earlier impacts at this instant
  bool strikes = false;         // some contact of the instant had an impact
  bool impact = false;          // this contact had one
  bool collision = true;        // false: impact without collision
  double normal_impulse = 0.0,
         tangential_impulse = 0.0; // N s; the tangential one opposes the sliding direction +
  double loss = 0.0;               // energy lost in the impact, counted once per impact
  double wall_work = 0.0;          // done in the impact by this contact's moving wall and surface
};

// Fired guards and rule in words; made on first access.
// told_alike, decided_alike: the words are the same for two events of one element.
bool told_alike(const Event& a, const Event& b);
bool decided_alike(const Event& a, const Event& b);
std::string cause_of(const System& sys, const Event& event);
std::string rule_of(const Event& event);

// The changes of a jump in causal order: outputs of sampled controllers, springs, friction elements, contacts, limits
// of continuous controllers. `instant`: number of the last instant with events.
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
