// Guards: events that can end a combination of modes, with their elements.
#pragma once

#include "core/list.hpp"
#include "model/form.hpp"

#include <algorithm>
#include <cstdint>

namespace stickslip {

enum class GuardKind : std::int8_t {
  none,
  // of a friction element
  slip_ends,         // the sliding velocity comes to zero
  breaks_away,       // the force at rest reaches the limit on the side `direction`
  velocity_reversal, // the velocity changes its side, for laws with internal states: a switch of the flow, no event
  load_corner,       // the part of the normal load that depends on the state changes its slope
  load_negative, // a normal load that a formula gives passes zero: a surface cannot pull, and the run ends
  branch,        // a law's internal switch
  surface_turns, // elastic presliding, force above its limit but v against it: v turns, and the element breaks
                 // away
  limit_again,   // the same, but the force comes back below its limit first; or a lagged force that held does
  // of a detent
  reaches_seat, // its way from the seat comes to zero
  passes_crest, // it is half way to the next seat, which is the nearer one from here on
  // of a facet of what several elements at rest can take together
  shared_limit, // they share a force in many ways, and all of them reach their limits together
  // of a force that rigidity leaves open, see sharing.cpp
  sharing_changes, // one that was free reaches a limit of its own, or one held at its limit leaves it
  // of a contact
  lifts_off, // the normal force of a closed contact comes to zero
  closes,    // the gap of an open one does
  locks,     // the velocity of a one-way clutch that is free does
  // of a limit of a controller's output
  saturation, // the output reaches or leaves it
  // of a flank of a spring
  touches, // it begins to push
  leaves,  // its force comes to zero
  corner,  // only its stiffness changes: a switch of the flow, no event
  // of a formula
  condition, // one on which a choice depends passes zero
};

// Quantity that a guard watches. `stretch` is the way of a spring or detent, `other` a quantity of one kind of guard alone.
enum class GuardValue : std::int8_t { other, velocity, force, gap, stretch };

// Properties of a kind of guard.
struct GuardTraits {
  GuardKind kind;
  GuardValue value = GuardValue::other;
  // For a guard that is a linear form: sign of the form, times the side if the guard has one.
  std::int8_t sign = 0;
  // For a guard that a decision opens: order of its first Taylor coefficient that depends on forces.
  std::int8_t first_by_forces = -1;
  bool of_flow = false;  // only the flow changes: no force jumps, and nothing is decided
  const char* says = ""; // in an event, behind the name of its element; empty: nothing
};

// A row for each kind, in their order.
inline constexpr GuardTraits guard_table[] = {
    {GuardKind::none},
    {GuardKind::slip_ends, GuardValue::velocity, -1, 1, false, " stops sliding"},
    {GuardKind::breaks_away, GuardValue::force, 0, 0, false, " breaks away"},
    {GuardKind::velocity_reversal, GuardValue::velocity, -1, -1, true},
    {GuardKind::load_corner, GuardValue::other, 1},
    {GuardKind::load_negative},
    {GuardKind::branch, GuardValue::other, 0, -1, true},
    {GuardKind::surface_turns, GuardValue::velocity, 1, -1, false, " breaks away"},
    {GuardKind::limit_again, GuardValue::force},
    {GuardKind::reaches_seat, GuardValue::stretch, -1, 2, false, " reaches a seat"},
    {GuardKind::passes_crest, GuardValue::stretch, 1, -1, false, " passes a crest"},
    {GuardKind::shared_limit, GuardValue::force, 0, -1, false, "shared limit"},
    {GuardKind::sharing_changes, GuardValue::force},
    {GuardKind::lifts_off, GuardValue::force, 0, 0, false, " loses its force"},
    {GuardKind::closes, GuardValue::gap, -1, 2, false, " touches"},
    {GuardKind::locks, GuardValue::velocity, -1, 1, false, " locks"},
    {GuardKind::saturation},
    {GuardKind::touches, GuardValue::stretch, 1, -1, false, " touches"},
    {GuardKind::leaves, GuardValue::stretch, 1, -1, false, " leaves"},
    {GuardKind::corner, GuardValue::stretch, 1, -1, true},
    {GuardKind::condition, GuardValue::other, 0, -1, true, "corner of a formula"},
};

constexpr const GuardTraits& traits_of(GuardKind kind) {
  return guard_table[static_cast<Index>(kind)];
}

static_assert(std::ranges::all_of(guard_table,
                                  [](const GuardTraits& row) { return &row == &traits_of(row.kind); }));

// Exactly one of friction, contact, facet, limit, saturation, flank and condition is set, by the kind; the others are
// -1.
struct Guard {
  GuardKind kind = GuardKind::none;
  std::int8_t direction = 0; // side of slip or of a limit; or of a corner; else 0
  Index friction = -1;       // number of the friction element
  Index bit = -1;            // for branch: which of the law's switches
  Index contact = -1;        // number of the contact
  Index facet = -1;          // number of the facet in the regime
  Index saturation = -1;     // number among the linear part's guards
  Index limit = -1;          // for sharing_changes: number among the limits of the sharing
  Index flank = -1;          // number of the flank
  Index flank_guard = -1;    // number among the linear part's guards of flanks
  Index condition = -1;      // number among the conditions of the formulas

  bool operator==(const Guard&) const = default;
  const GuardTraits& traits() const { return traits_of(kind); }
  double sign() const { return traits().sign * (direction != 0 ? direction : 1); } // of its form

  static Guard of_friction(GuardKind kind, Index element, int direction) {
    return {.kind = kind, .direction = static_cast<std::int8_t>(direction), .friction = element};
  }
  static Guard of_switch(Index element, Index bit) {
    return {.kind = GuardKind::branch, .friction = element, .bit = bit};
  }
  static Guard of_contact(GuardKind kind, Index contact) { return {.kind = kind, .contact = contact}; }
  static Guard of_facet(Index facet, int direction) {
    return {
        .kind = GuardKind::shared_limit, .direction = static_cast<std::int8_t>(direction), .facet = facet};
  }
  // Common limit of shared forces; the decision selects the elements that break away.
  static Guard of_shared_forces() { return {.kind = GuardKind::shared_limit}; }
  static Guard of_limit(Index limit) { return {.kind = GuardKind::sharing_changes, .limit = limit}; }
  static Guard of_flank(GuardKind kind, Index flank, Index number) {
    return {.kind = kind, .flank = flank, .flank_guard = number};
  }
  static Guard of_condition(Index number) { return {.kind = GuardKind::condition, .condition = number}; }
  static Guard of_saturation(Index number) { return {.kind = GuardKind::saturation, .saturation = number}; }
};

// Terms of a guard, from which its value, its gradient and the size of its terms follow. A guard fires when it
// becomes positive.
//   sign * form(x, s) + sum factor x_at + sum factor F_at + sum weight limit
struct GuardTerms {
  struct Entry {
    Index at;
    double factor;
  };
  struct Limit { // limit of the force of a friction element in one direction
    Index element;
    int side;
    double weight;
    bool held; // in its present mode; else its static limit
  };
  const Form* form = nullptr;
  double sign = 0.0;
  List<Entry> states, forces; // entries of x; of forces of friction elements, then normal forces
  List<Limit> limits;

  bool linear() const { return form != nullptr && states.empty() && forces.empty() && limits.empty(); }
};

} // namespace stickslip
