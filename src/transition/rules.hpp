// Transition rules after an event, as a pure function of one instant.
//
// Rules (numbers as in the design notes, "Transitions, exactly"):
//  2  Elements at rest are solved with their static levels. If an answer holds there for a time after the instant, those
//     elements that leave rest first, with the lowest power of time, take their kinetic force and a fixed direction. The
//     rounds end when nothing changes, at most after elements + 1.
//     Answers with an acceleration against the direction are rejected.
//  3  Among several admissible answers: the present modes; then the fewest changed components; then the least Gauss
//     constraint 1/2 lambda' G lambda. Answers that are still tied are marked as ambiguous.
//  4  No answer: status none. If a contact slides, the engine answers with an impact without collision
//     (Painleve).
//  5  Forces shared by several sticking elements and not unique: see share.hpp.
#pragma once

#include "core/list.hpp"
#include "transition/rule.hpp"
#include "transition/stage.hpp"

#include <optional>

namespace stickslip::contact {

using stickslip::Rule;

struct Choice {
  Rule rule = Rule::none;
  Candidate answer; // empty for none
  List<std::uint8_t>
      left_rest;       // per element: 1 if it left rest in this event (kinetic level, fixed direction)
  Index solutions = 0; // distinct admissible answers; -1 where they were not counted
  bool certified_unique = false; // solutions == 1 by the matrix, not by counting
  Index rounds = 0;              // of static to kinetic
  bool found() const { return rule != Rule::none; }
};

// All that leave accelerate. Where nothing is known of later instants, an acceleration that is zero stays zero.
inline bool leave_at_once(const Candidate& c, const List<std::uint8_t>& leaving) {
  const Index contacts = c.touching.size() - leaving.size();
  for (Index s = 0; s < leaving.size(); ++s)
    if (leaving[s] != 0 && c.touching[contacts + s] != 0) return false;
  return true;
}

// Decides by higher derivatives, or by the caller's criterion, whether a candidate holds on (t, t + epsilon]. leaving: per
// element 1 if it slips under its static level, of an admissible candidate then 1 + the order of its acceleration's first term;
// empty: all have their kinetic levels.
struct Admissible {
  bool (*call)(void*, const Candidate&, List<std::uint8_t>& leaving) = nullptr;
  void* self = nullptr;
  bool operator()(const Candidate& c, List<std::uint8_t>& leaving) const {
    return call == nullptr ? leave_at_once(c, leaving) : call(self, c, leaving);
  }
  bool operator()(const Candidate& c) const {
    List<std::uint8_t> none;
    return (*this)(c, none);
  }
};

template <class F> Admissible admissible_by(F& f) {
  return {[](void* self, const Candidate& c, List<std::uint8_t>& leaving) {
            return (*static_cast<F*>(self))(c, leaving);
          },
          &f};
}

struct TransitionWorkspace {
  StageWorkspace stage;
  List<Pool> pool; // one per round
  Pool answers;
  List<List<std::uint8_t>> left; // parallel to answers
  List<List<Slip>> slip;
  List<List<Mode>> direction;
  List<List<Mode>> visited;
  Index visited_count = 0;
  List<std::uint8_t> leaving; // see Admissible
  List<Allowed> allowed;
  List<Index> order; // admissible answers, the chosen one first
  bool departures =
      false; // where static levels lead to no answer, kinetic ones of everything that leaves may
};

// Allocates for every problem of at most this size and number of mode sets, few enough to be tried one by one:
// afterwards choose() does not allocate unless forces are statically indeterminate.
void reserve(Index contacts, Index elements, Index sets, TransitionWorkspace& ws, Choice& out);

// Every labelled answer before any choice, transitions from static to kinetic included. True if the list is complete.
bool transitions(const Problem& p, const List<Allowed>& allowed, TransitionWorkspace& ws,
                 const Admissible& admissible = {});

// `present`: the modes before (contacts, then elements). `allowed`: empty, or per component the modes that a fired
// guard still permits (an element that broke away in + direction: bit(plus); a contact that lost its force: bit(open)).
void choose(const Problem& p, const List<Mode>& present, const List<Allowed>& allowed,
            const Admissible& admissible, TransitionWorkspace& ws, Choice& out);

// Motion of a single element at rest under a given load, with acceleration `free` - g F and static force in [low,
// high]: strictly inside it stays, outside it leaves; none: degenerate. size: of the terms of `free`.
std::optional<Mode> impending_motion(double low, double high, double g, double free, double size);

// No element is loaded by a contact and the matrix is symmetric positive definite: exactly one answer per stage.
bool certified_unique(const Problem& p);

} // namespace stickslip::contact
