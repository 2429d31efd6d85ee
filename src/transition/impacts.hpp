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
  bool unsolved = false;  // one had no answer
  bool ambiguous = false; // one had several
  Index solutions = 1;    // of the last one; -1: not counted
};

// All impacts of this instant, to the last or to their limit. Afterwards contacts that touch and do not separate are
// closed.
void make_impacts(Instant& at, const List<Guard>& fired, Impacts& impacts);

// One impact of these contacts without a collision (Painleve); whether it has changed anything.
bool strike_without_collision(Instant& at, const List<Index>& touching, Impacts& impacts);

// Overlaps by rounding of published start values: positions move by as little as closes them, in the metric of the
// masses. A greater overlap is an error of the input.
void remove_overlaps(Instant& at);

// Moves positions by as little as makes the gaps of these contacts zero, in the metric of the masses.
void close_gaps(Instant& at, const List<Index>& contacts);

// The steps of one impact. Its problem; empty, with the reason in the jump, where a restitution has no meaning.
std::optional<PosedImpact> pose_impact(const Instant& at, const List<Index>& contacts, bool collision);
// The same in given room; false in place of empty.
bool pose_impact(const Instant& at, const List<Index>& contacts, bool collision, PosedImpact& posed);
// Its answer, applied to the velocities. Empty: there is none.
std::optional<contact::ImpactSolution> strike(Instant& at, PosedImpact& posed, Impacts& impacts);
// Adds the impulses of an impact to the velocities.
void change_velocities(Instant& at, const PosedImpact& posed, const Vector& impulse);
// The same, recorded.
void apply(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& solution, Impacts& impacts);
void note_impulses(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& solution,
                   Sum sum = Sum::one);
// Slower rebounds of a contact are none: a share of the greatest speed that it has seen.
double least_rebound(const Instant& at, Index contact);
// Takes back rebounds that are too slow to count.
void end_rebounds(Instant& at, const PosedImpact& posed, const contact::ImpactSolution& best,
                  Impacts& impacts);

} // namespace stickslip
