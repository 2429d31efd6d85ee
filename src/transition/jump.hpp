// The record of one instant: what fired, the state and the modes on both sides, and what decided. Events are views
// of it (event.hpp).
#pragma once

#include "core/list.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/state.hpp"
#include "transition/rule.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace stickslip {

// What an impact did along a further direction of a contact, by the friction element of that direction.
struct Rub {
  Index impact = 0;
  Index element = 0;
  double tangential = 0.0; // N s
};

// What brought it about, besides the guards that fired.
enum class Occasion : std::int8_t {
  motion, // guards, or nothing but what is scheduled: a tick, a breakpoint of a signal
  flow, // a law's internal switch, or the side of v of a law without a jump: no force changes, nothing is decided
  start, // of a run
  step,  // one of fixed length
};

// Whether an impulse is that of one impact, or the sum of impacts that repeat themselves: to their limit (inelastic
// collapse), or until another contact is disturbed.
enum class Sum : std::int8_t { one, collapse, repeated };

// What an impact did at one contact.
struct Impulse {
  Index impact = 0; // number of the impact at its instant, where several follow each other
  Index contact = 0;
  double normal = 0.0, tangential = 0.0; // N s; the tangential one opposes the sliding direction +
  double loss = 0.0;                     // energy, counted once per impact, at its first contact
  double wall_work = 0.0;                // of this contact's own moving wall and surface
  bool collision = true;                 // false: without one (Painleve)
  Sum sum = Sum::one;
};

struct Jump {
  double t = 0.0;
  Occasion occasion = Occasion::motion;
  List<Guard> fired;
  Modes before, after;
  Vector x_before, x_after;
  Rule rule = Rule::unique;
  Index solutions = -1;         // how many admissible answers there were; -1 where they were not counted
  bool decided = true;          // false: no admissible answer was found
  bool ambiguous = false;       // several answers were left that no rule tells apart
  bool shared = false;          // forces at rest were not unique
  bool gains = false;           // an impact left more energy than there was
  bool loses = false;           // one took a share of what it moved
  bool mixed_laws = false;      // contacts struck together have different laws of impact
  bool poisson_instead = false; // Newton's law had no answer
  bool sampled = false;         // sampled controllers put out something
  bool changed = false;         // something was decided, so that the motion does not just go on
  bool quiet = false;           // sampled controllers put out something, and the motion goes on in its modes
  // Not decided: every combination of modes was tried, and so there is no answer; the contacts that touch.
  bool none_exists = false;
  bool both_same = false; // known of the modes before and after
  List<Index> touching;
  std::string undefined;  // not decided: a coefficient that has no meaning there
  Index unresisting = -1; // a contact whose sliding gain is zero in modes that were refused for it; -1: none
  Index facing = -1;      // not decided: the condition of a formula that both of its sides lead back to
  List<Impulse> impulses;
  List<Rub> rubs;
  Index impacts = 0;                       // one after the other at this instant
  List<std::pair<Index, double>> overlaps; // at the start: contacts, and by how much, that were moved apart
  const Regime* next = nullptr;            // the regime that follows, where it is known already

  void begin(const State& state, Occasion why, const List<Guard>& guards) {
    t = state.base_t;
    occasion = why;
    fired = guards;
    if (before != state.modes) before = state.modes, both_same = false; // ticks mostly leave them as they are
    x_before = state.base_x;
    rule = Rule::unique;
    solutions = -1;
    decided = true;
    none_exists = false;
    touching.clear();
    facing = -1;
    undefined.clear();
    unresisting = -1;
    ambiguous = shared = gains = loses = mixed_laws = poisson_instead = sampled = changed = quiet = false;
    impulses.clear();
    rubs.clear();
    impacts = 0;
    overlaps.clear();
    next = nullptr;
  }
  void end(const State& state) {
    if (!quiet || !both_same) after = state.modes;
    both_same = quiet;
    x_after = state.base_x;
  }
  // Impulses or rubs of one impact: they are kept in the order of impacts.
  template <class Records> static auto of_impact(Records& all, Index impact) {
    return std::ranges::equal_range(all, impact, {}, [](const auto& one) { return one.impact; });
  }
  // Adds to the latest impact.
  void add(Impulse one) {
    one.impact = impacts - 1;
    for (Impulse& i : of_impact(impulses, one.impact))
      if (i.contact == one.contact) {
        i.normal += one.normal, i.tangential += one.tangential;
        i.loss += one.loss, i.wall_work += one.wall_work;
        return;
      }
    impulses.push_back(one);
  }
  void add_rub(Index element, double impulse) {
    for (Rub& rub : of_impact(rubs, impacts - 1))
      if (rub.element == element) {
        rub.tangential += impulse;
        return;
      }
    if (impulse != 0.0) rubs.push_back({impacts - 1, element, impulse});
  }
};

} // namespace stickslip
