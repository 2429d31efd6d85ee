// Frictional impacts of all closed contacts at once (Hinrichsen 2007, chapter 5).
//
// Velocity level: v+ = v- + G [Lambda_N; -S] with the problem's rows; S opposes the motion like F. Prescribed
// loads pass no impulse, so every element here belongs to a contact.
//  Poisson: compression ends with v_N >= 0 complementary to Lambda_NC >= 0 and |S_C| <= mu Lambda_NC;
//           expansion adds Lambda_NE >= eps Lambda_NC complementary to v_N >= 0, |S_E| <= mu Lambda_NE (5.22;
//           solved in Lambda_NE - eps Lambda_NC and S_E itself, which is the same problem with one unknown
//           less per bound).
//  Newton:  v_N+ + eps min(v_N-, 0) >= 0 complementary to Lambda_N >= 0, tangential as in compression.
// With a tangential restitution e_T an impact is tangentially reversible (5.3, figure 5.3; Pfeiffer, Glocker 1996):
//  Poisson: the tangential impulse stored in compression is returned. Where S_C > 0 the branch of v_T < 0 stands at e_T
//           eps S_C in place of -mu Lambda_NE: e_T eps S_C <= S_E <= mu Lambda_NE; where S_C < 0 its mirror image.
//  Newton:  the friction impulse opposes v_T+ + e_T v_T-, which is zero inside the cone.
//
// The contacts of an impact are chosen before: approaching and closed ones (impact_order.cpp).
#pragma once

#include "contact/enumerate.hpp"
#include "core/list.hpp"
#include "transition/stage.hpp"

#include <optional>

namespace stickslip::contact {

enum class ImpactLaw : std::uint8_t { poisson, newton };

struct Impact {
  Index contacts = 0;
  List<Index> contact_of; // of each tangential direction: its contact
  Vector friction;        // mu >= 0 per tangential direction
  Vector restitution;     // eps in [0, 1] per contact
  List<std::optional<double>>
      tangential_restitution; // e_T in [0, 1] per tangential direction; empty: none has one
  Matrix G;                   // rows normals, then tangents
  Vector velocity;            // relative velocities before, in the same rows, moving walls included
  Vector wall;                // the part of them that comes from moving walls (dg/dt); empty: none
  ImpactLaw law = ImpactLaw::poisson;
  bool collision = true; // false: without collision (Painleve): only answers with an impulse
};
void validate(const Impact& p);

// Violation of the limits of a row by an impulse: contacts do not pull, and friction stays in its cone.
double beyond(const Impact& p, const Vector& impulse, Index row);

struct ImpactSolution {
  List<Mode> compression, expansion; // modes at the end of each phase (Newton: both the same)
  Vector impulse;                    // totals, Lambda_N then S
  Vector compression_impulse;
  Vector velocity;            // after
  double energy_change = 0.0; // of the bodies, J; > 0 is a gain
  double wall_work = 0.0;     // of moving walls, J; the loss is wall_work - energy_change
  bool unique_impulse = true;
};

// One outcome and its ranking keys.
struct RankedImpact {
  double first = 0.0;   // work of the impulses in compression
  bool extreme = false; // at a vertex of statically indeterminate impulses
  double second = 0.0;  // the same in expansion
  ImpactSolution solution;
};

// Kept by the caller; a second impact of the same size does not allocate.
struct ImpactWorkspace {
  StageWorkspace stage;
  lcp::EnumerationWorkspace enumeration;
  Pool compression, expansion;
  Problem problem, second;
  List<Allowed> allowed;
  List<Slip> slip;
  List<Mode> direction;
  Vector rebound, given, end, signed_impulse, expansion_impulse, work;
  // Outcomes of find_outcomes(); the first is the answer of the engine.
  List<RankedImpact> outcomes;
  Index found = 0;
  bool ambiguous = false, complete = true; // see ImpactAnswer

  void reserve(Index contacts, Index tangents, Index sets); // of modes
};

constexpr Index largest_extreme_order =
    9; // contacts + 2 elements: largest size for which extreme impulses are computed

// Every distinct outcome, ordered by rule: least work of the impulses 1/2 Lambda' G Lambda in compression, then in
// expansion. The first is the answer of the engine; `ambiguous` if another one ties with it, or if it depends on
// statically indeterminate impulses. Empty: no solution. For indeterminate impulses of compression the shared ones
// (share.hpp) come first; extreme ones follow if they lead to another velocity, as with unequal eps. Then a continuum
// of outcomes lies between them.
struct ImpactAnswer {
  List<ImpactSolution> solutions;
  bool ambiguous = false;
  bool complete =
      true; // all mode sets and extreme impulses were tried: other outcomes lie only between the listed ones
};
ImpactAnswer impact(const Impact& p, ImpactWorkspace& ws);
// The same, left in the workspace.
void find_outcomes(const Impact& p, ImpactWorkspace& ws);

} // namespace stickslip::contact
