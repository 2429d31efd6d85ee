// The working of a transition, shared by the files that make up one decision: impacts.cpp (one impact),
// impact_order.cpp (all of an instant), resting.cpp (what rests), choice.cpp (the complementarity problem), waking.cpp (where nothing acts
// yet), admissible.cpp (what holds just after).
#pragma once

#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "transition/corners.hpp"
#include "transition/impact.hpp"
#include "transition/mode_changes.hpp"
#include "transition/posed_impact.hpp"
#include "transition/rules.hpp"
#include "transition/sign_after.hpp"
#include "transition/transition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace stickslip {

// Of the machine's shortest time constant: guards are a parabola there.
inline constexpr double short_time = 1e-4;

// One instant: what touches, what rests, what it does next. Made once per run; keeps its room between calls.
class Decision {
public:
  // `at`: where s is the tangent of a machine that is not linear; `of_formulas`: where it has corners; else null.
  Decision(const System& s, RegimeCache& c, Scratch& scratch, const Cutoffs& cut, Tangent* at = nullptr,
           Corners* of_formulas = nullptr)
      : sys(s), cache(c), here(at), corners(of_formulas), cutoffs(cut), w(scratch), n(s.friction.size()),
        rests(n, false), dir(n, 0), force(w.force), normal(Vector::Zero(s.contacts.size())),
        sig(Vector::Zero(s.ns())), candidate(s.contacts.size(), false) {
    for (const Friction& p : sys.friction) any_load_contact = any_load_contact || p.load_contact >= 0;
  }

  // From `state` on; what was decided goes into the jump.
  void run(State& state, const List<Guard>& fired, Jump& jump);
  // Where nothing has fired but guards of the sharing: the forces at their limits anew. False: the modes cannot stay,
  // and jump.fired says why.
  bool share_anew(State& state, Jump& jump);

private:
  const System& sys;
  RegimeCache& cache;
  Tangent* here;
  Corners* corners;
  Cutoffs cutoffs;
  State* state = nullptr;
  Jump* jump = nullptr;
  Scratch& w;
  Index n;
  List<bool> rests; // velocity is zero and the mode open
  List<int> dir;    // resting elements whose guard fired: the side to which they leave
  Vector force;
  Vector normal; // force of every contact: before this instant, then as it was decided
  Vector sig;
  Vector terms; // what x' is the sum of, without the forces of constraints
  Vector borne; // what these add, of the modes before
  double t = 0.0;
  Modes before;
  Rule rule = Rule::unique;
  bool shared = false;
  bool ambiguous = false;
  Index solutions = 1;  // -1: not counted
  List<bool> candidate; // contacts whose gap and its rate are zero: closed or about to open
  bool struck = false;  // by an impact at this instant
  bool starting = false;
  bool unsolved = false;         // an impact had no answer
  bool any_load_contact = false; // some element takes a contact's force as its load force

  // The problem over everything that rests or touches: contacts `closed`, then `elements`.
  List<Index> closed, elements;
  List<Index> number; // of each contact among `closed`
  contact::Problem problem;
  Matrix rows, columns; // velocities of the components; changes of x' per unit of their forces
  List<Mode> present;
  List<contact::Allowed> allowed;
  contact::TransitionWorkspace work;
  contact::Choice answer;
  Modes entry; // before candidates are tried
  Vector entry_x;
  Vector parting; // how elements part that cannot all stick; empty: none do
  // Limits that held the forces which rigidity leaves open, for each candidate that was found admissible; those that
  // contradict each other where there is no sharing.
  struct Shared {
    List<Mode> modes;
    List<ForceLimit> at_limit;
    Redundancy open;
  };
  List<Shared> sharings;
  List<ForceLimit> broken;
  List<int> overrun; // sides to which elements leave that pass a limit they share; empty: none do
  Matrix series, signal_series;
  double pace = 1.0;  // the time in which coefficients of series count
  bool woken = false; // nothing acts yet: the problem is that of the first terms of what begins to
  Vector xdot, coefficients;
  List<double> falls; // of contacts that strike: how fast they come back

  void look_again();
  void curved_series(const Regime& r, double h, const Vector& half);
  void size_constraints();
  // Whether its law has a jump at v = 0 that its load does not take away.
  bool set_valued(Index i) const { return sys.friction[i].traits.sticks && !state->modes.friction[i].free; }
  // Its load begins at this instant: nothing has held or stopped it until now.
  bool is_gripped(Index i) const { return before.friction[i].free && !state->modes.friction[i].free; }
  // Whether its force depends on the side of v = 0 without a jump there.
  bool has_sides(Index i) const {
    return !set_valued(i) && !(state->modes.friction[i].free && sys.friction[i].traits.affine);
  }
  void release(const List<Guard>& fired);
  void begin(Index i, int mode, double speed);
  bool presliding(Index i) const { return sys.friction[i].surface_travel >= 0; }
  // Normal load; on a contact per unit of its force.
  double load(Index i) const {
    const Friction& p = sys.friction[i];
    const double N = normal_load(p, state->modes.friction[i].load_stretch, state->base_x.data(), sig.data());
    return p.load_contact < 0 ? N : N + p.load_per_force * normal(p.load_contact);
  }
  double v(Index i) const { return relative_velocity(sys.friction[i], state->base_x.data(), sig.data()); }

  void switches(const List<Guard>& fired, bool start);
  void find_sides(bool start);
  void turn_sides();
  void find_resting(const List<Guard>& fired, bool start);
  void find_rest(Index i, bool stops, bool touched, bool nothing_fired, bool start);
  void preslide(Index i, double speed, bool moves, bool ends, bool start);
  bool moves(Index i, double speed, bool start);
  bool comes_to_a_halt(Index i, int side);
  void leave(const Guard& fired);
  bool moves_towards(Index i, int side);
  void carry_presliding(bool start);
  void count_brief_slip(Index i);
  void count_towards_rest(Index i);
  bool comes_to_rest(Index i) const;
  void project();
  void free_acceleration(Vector& rate);
  void change(Index i);
  void enter(Index i, Mode mode) {
    stickslip::enter(state->modes.friction[i], sys.friction[i], mode, state->base_x.data());
  }
  void enter_modes(bool start);
  bool settle(List<Guard> fired);
  bool strike_without_collision();
  void count_slips(const List<Guard>& fired);

  // Of what a guard is of in the problem; -1: it has no part in it.
  Index component_of(const Guard& g) const {
    if (g.contact >= 0) return number[g.contact];
    const auto at = std::find(elements.begin(), elements.end(), g.friction);
    return at == elements.end() ? -1 : closed.size() + (at - elements.begin());
  }

  // choice.cpp
  bool choose_modes(const List<Guard>& fired);
  void assemble();
  void size_by_rates();
  const Vector& own_acceleration(Index component) const;
  void size_by_turning_rows();
  contact::Line kinetic_line(Index i, int d);
  contact::Element element_at_rest(Index i);
  contact::Element element_that_slides(Index i);
  void narrow(const List<Guard>& fired);
  void apply(const contact::Candidate& c);
  bool try_choice();
  bool part();
  bool leave_at_limit();
  bool hold_by_lag();
  bool stop_by_lag();
  bool try_as_located();
  bool try_firmly();
  bool try_everything();

  // admissible.cpp
  bool admissible(const contact::Candidate& c);
  bool determines_forces(const Regime& r);
  void leave_rest(const contact::Candidate& c);
  // Values and derivatives of the guards just after t in these modes, one row each.
  void guard_series(const Regime& r);
  void velocity_series(const Regime& r);
  bool share(const Regime& r);
  void note_contradiction();
  void note_firing(const Regime& r, List<Guard>& fired);
  void note_overrun(const Regime& r, const Guard& g);
  int sign_of(const Regime& r, Index guard);
  double no_acceleration(Index component) const;
  double certain_slope(const Regime& r, Index guard, double slope) const;
  Vector acceleration_terms(const Regime& r, const Vector& row, const Matrix& by, const Matrix& held) const;
  bool stands_still(const Regime& r, const Friction& p);
  bool rests_stay(const Regime& r);
  void expand_signals();
  void next_term(const Regime& r, int k, Vector& x);

  // waking.cpp
  bool decides(Index k) const;
  bool silent();
  Matrix by_signals();
  Matrix signal_terms();
  void wake();
  bool settled(const contact::Candidate& c, const Guard& g) const;

  // impacts.cpp
  double gap_at(Index j) const;
  // Velocity that rounding can have given to what a constraint held at zero until now: constraints are solved
  // to about a hundred times the last digit where they are badly conditioned.
  double drift(const Vector& row) const {
    return tolerance::constrained * std::max(state->time_scale, std::abs(t)) *
           row.cwiseAbs().dot(terms + borne);
  }
  double rate_at(Index j) const;
  double rate_size(Index j) const;
  double no_gap(Index j) const;
  double no_rate(Index j) const;
  void find_falls(const List<Index>& contacts);
  double no_rebound(Index j, double falls_by) const;
  bool contact_friction(Index i) const { return sys.friction[i].contact >= 0; }
  bool touches(Index i) const { // an element without a contact always does
    if (sys.friction[i].of_compliance)
      for (Index j = 0; j < sys.contacts.size(); ++j)
        if (sys.contacts[j].friction == i) return state->modes.contact[j] == Mode::closed;
    return !contact_friction(i) || candidate[sys.friction[i].contact];
  }
  // Its force follows that of a contact which may be closed: it belongs into the problem even while it
  // slides.
  bool loaded_by_contact(Index i) const {
    const Index c = loading_contact(sys.friction[i]);
    return c >= 0 && candidate[c];
  }
  void find_candidates(const List<Guard>& fired);
  void remove_overlaps();
  void close_gaps(const List<Index>& contacts);
  std::optional<PosedImpact> pose_impact(const List<Index>& contacts, bool collision) const;
  contact::ImpactAnswer solve_impact(PosedImpact& posed) const;
  std::optional<contact::ImpactSolution> strike(PosedImpact& posed);
  void apply(const PosedImpact& posed, const contact::ImpactSolution& solution);
  void note_impulses(const PosedImpact& posed, const contact::ImpactSolution& solution, Sum sum = Sum::one);
  void end_rebounds(const PosedImpact& posed, const contact::ImpactSolution& best);

  // impact_order.cpp
  struct Sequence;
  bool meets(Index contact, const List<Guard>& fired) const;
  Sequence begin_sequence(const List<Guard>& fired) const;
  void look_at_rates(Sequence& s) const;
  List<Index> taking_part(const Sequence& s, const List<Index>& approaching) const;
  void make_impacts(const List<Guard>& fired);
  void fly(Sequence& s, double flight);
  bool make_impact(Sequence& s, const List<Index>& approaching);
  bool gains_without_friction(const PosedImpact& posed, const contact::ImpactSolution& solution);
  void look_for_limit(Sequence& s);
  bool reach_limit(Sequence& s, Index length);
  void give_up(const Sequence& s, const List<Index>& contacts);
};

} // namespace stickslip
