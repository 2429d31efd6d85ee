// Impacts of the contacts that touch at one instant.
#pragma once

#include "core/list.hpp"
#include "transition/instant.hpp"
#include "transition/posed_impact.hpp"

#include <optional>

namespace stickslip {

// Result of the impacts of an instant.
struct Impacts {
  bool any = false;
  bool unsolved = false;  // an impact had no answer
  bool ambiguous = false; // an impact had several
  Index solutions = 1;    // of the last impact; -1: not counted
};

// All impacts of this instant, to the last or to their limit. Afterwards contacts that touch and do not separate are
// closed.
void make_impacts(Instant& at, const List<Guard>& fired, Impacts& impacts);

// One impact of these contacts without a collision (Painleve); true if velocities have changed.
bool strike_without_collision(Instant& at, const List<Index>& touching, Impacts& impacts);

// Removes overlaps due to rounded start values: positions move by the least change, in the metric of the masses, that
// closes them. A greater overlap is an error of the input.
void remove_overlaps(Instant& at);

// Moves positions by the least change, in the metric of the masses, that makes the gaps of these contacts zero.
void close_gaps(Instant& at, const List<Index>& contacts);

// The steps of one impact. Problem; empty, with the reason in the jump, if a restitution is undefined.
std::optional<PosedImpact> pose_impact(const Instant& at, const List<Index>& contacts, bool collision);
// The same in given memory; false in place of empty.
bool pose_impact(const Instant& at, const List<Index>& contacts, bool collision, PosedImpact& posed);
// Solution, applied to the velocities. Empty: there is none.
std::optional<contact::ImpactSolution> strike(Instant& at, PosedImpact& posed, Impacts& impacts);
// Adds the impulses of an impact to the velocities.
void change_velocities(Instant& at, const PosedImpact& posed, const Vector& impulse);
// The same, and records the impact.
void apply(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& solution, Impacts& impacts);
void note_impulses(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& solution,
                   Sum sum = Sum::one);
// Least rebound speed of a contact, relative to the greatest speed so far; slower rebounds are treated as plastic.
double least_rebound(const Instant& at, Index contact);
// Removes rebounds below the threshold.
void end_rebounds(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& best,
                  Impacts& impacts);

} // namespace stickslip
