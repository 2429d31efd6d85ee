// Record of one instant: fired guards, state and modes on both sides, and the rule that decided. Events are views of it
// (event.hpp).
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

// Tangential impulse in a further direction of a contact, by the friction element of that direction.
struct Rub {
  Index impact = 0;
  Index element = 0;
  double tangential = 0.0; // N s
};

// Cause besides the guards that fired.
enum class Occasion : std::int8_t {
  motion, // guards, or only scheduled changes: a sampling instant, a breakpoint of a signal
  flow, // a law's internal switch, or the sign of v of a law without a jump: no force jumps, so there is no decision
  start, // of a run
  step,  // one of fixed length
};

// An impulse is that of one impact, or the sum of repeated impacts: to their limit (inelastic collapse), or until
// another contact is disturbed.
enum class Sum : std::int8_t { one, collapse, repeated };

// Impulse of an impact at one contact.
struct Impulse {
  Index impact = 0; // number of the impact at its instant, for impacts in succession
  Index contact = 0;
  double normal = 0.0, tangential = 0.0; // N s; the tangential one opposes the sliding direction +
  double loss = 0.0;      // energy, counted once per impact, at the first contact with an impulse
  double wall_work = 0.0; // of the moving wall and surface of this contact
  bool collision = true;  // false: without collision (Painleve)
  Sum sum = Sum::one;
};

struct Jump {
  double t = 0.0;
  Occasion occasion = Occasion::motion;
  List<Guard> fired;
  Modes before, after;
  Vector x_before, x_after;
  Rule rule = Rule::unique;
  Index solutions = -1;         // number of admissible answers; -1 if they were not counted
  bool decided = true;          // false: no admissible answer was found
  bool ambiguous = false;       // several answers that no rule distinguishes
  bool shared = false;          // holding forces were not unique
  bool gains = false;           // the energy after an impact exceeds that before
  bool loses = false;           // an impact dissipated energy
  bool mixed_laws = false;      // contacts of an impact have different impact laws
  bool poisson_instead = false; // Newton's law had no answer
  bool sampled = false;         // outputs of sampled controllers took effect
  bool changed = false;         // a decision was made, so the motion may change
  bool quiet = false;           // outputs of sampled controllers took effect, and all modes stay
  // Not decided: every combination of modes was tried, and so there is no answer; the contacts that touch.
  bool none_exists = false;
  bool both_same = false; // the modes before and after are known to be equal
  List<Index> touching;
  std::string undefined;  // no decision: a coefficient that is undefined at this instant
  Index unresisting = -1; // a contact whose sliding gain is zero in modes refused for this reason; -1: none
  Index facing = -1; // no decision: the condition of a formula both of whose sides lead back to it; -1: none
  List<Impulse> impulses;
  List<Rub> rubs;
  Index impacts = 0;                       // number of successive impacts at this instant
  List<std::pair<Index, double>> overlaps; // at the start: contacts and the overlaps that were removed
  const Regime* next = nullptr;            // the following regime, if known

  void begin(const State& state, Occasion why, const List<Guard>& guards) {
    t = state.base_t;
    occasion = why;
    fired = guards;
    if (before != state.modes)
      before = state.modes, both_same = false; // most sampling instants do not change them
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
  // Impulses of one impact; they are stored in the order of impacts.
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
