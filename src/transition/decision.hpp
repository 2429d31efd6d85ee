// The working of a transition, shared by the files that make up one decision: impacts.cpp (what touches and
// strikes), resting.cpp (what rests), choice.cpp (the complementarity problem), admissible.cpp (what holds
// just after).
#pragma once

#include "transition/impact.hpp"
#include "transition/mode_changes.hpp"
#include "transition/rules.hpp"
#include "transition/sign_after.hpp"
#include "transition/transition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace stickslip {

// One instant: what touches, what rests, what it does next. Made once per run; keeps its room between calls.
class Decision {
public:
  Decision(const System& s, RegimeCache& c, Scratch& scratch)
      : sys(s), cache(c), w(scratch), n(s.places.size()), rests(n, false), dir(n, 0), force(w.force),
        normal(Vector::Zero(static_cast<Index>(s.contacts.size()))), sig(Vector::Zero(s.ns())),
        candidate(s.contacts.size(), false) {
    for (const Place& p : sys.places) any_load_contact = any_load_contact || p.load_contact >= 0;
  }

  // From `state` on; what was decided goes into the jump.
  void run(State& state, const std::vector<Guard>& fired, Jump& jump);

private:
  const System& sys;
  RegimeCache& cache;
  State* state = nullptr;
  Jump* jump = nullptr;
  Scratch& w;
  std::size_t n;
  std::vector<bool> rests; // velocity is zero and the mode open
  std::vector<int> dir;    // resting places whose guard fired: the side to which they leave
  Vector force;
  Vector normal; // force of every contact: before this instant, then as it was decided
  Vector sig;
  Vector terms; // what x' is the sum of
  double t = 0.0;
  Modes before;
  Rule rule = Rule::unique;
  bool shared = false;
  bool ambiguous = false;
  Index solutions = 1;         // -1: not counted
  std::vector<bool> candidate; // contacts whose gap and its rate are zero: closed or about to open
  bool struck = false;         // by an impact at this instant
  bool starting = false;
  bool unsolved = false;         // an impact had no answer
  bool any_load_contact = false; // some place takes a contact's force as its load force

  // The problem over everything that rests or touches: contacts `closed`, then `places`.
  std::vector<std::size_t> closed, places;
  std::vector<Index> number; // of each contact among `closed`
  contact::Problem problem;
  Matrix rows, columns; // velocities of the components; changes of x' per unit of their forces
  std::vector<Mode> present;
  std::vector<contact::Allowed> allowed;
  contact::TransitionWorkspace work;
  contact::Choice answer;
  Modes entry; // before candidates are tried
  Vector entry_x;
  Vector parting;           // how places part that cannot all stick; empty: none do
  std::vector<int> overrun; // sides to which places leave that pass a limit they share; empty: none do
  Matrix series, signal_series;
  Vector xdot, coefficients;

  bool set_valued(std::size_t i) const { return sys.places[i].traits.sticks; }
  bool presliding(std::size_t i) const { return sys.places[i].surface_travel >= 0; }
  // Normal load; on a contact per unit of its force.
  double load(std::size_t i) const {
    const Place& p = sys.places[i];
    const double N = normal_load(p, state->modes.friction[i].load_sign, state->base_x.data(), sig.data());
    return p.load_contact < 0 ? N : N + p.load_per_force * normal(p.load_contact);
  }
  double v(std::size_t i) const { return relative_velocity(sys.places[i], state->base_x.data(), sig.data()); }

  void switches(const std::vector<Guard>& fired, bool start);
  void find_sides(bool start);
  void find_resting(const std::vector<Guard>& fired, bool start);
  bool moves_towards(std::size_t i, int side);
  void carry_presliding(bool start);
  void count_brief_slip(std::size_t i);
  void count_towards_rest(std::size_t i);
  bool comes_to_rest(std::size_t i) const;
  void project();
  void free_acceleration(Vector& rate);
  void change(std::size_t i);
  void enter(std::size_t i, Mode mode) {
    stickslip::enter(state->modes.friction[i], sys.places[i], mode, state->base_x.data());
  }
  void enter_modes(bool start);
  bool settle(const std::vector<Guard>& fired);
  bool strike_without_collision();
  void count_slips(const std::vector<Guard>& fired);

  // choice.cpp
  bool choose_modes(const std::vector<Guard>& fired);
  void assemble();
  void size_by_rates();
  contact::Line kinetic_line(std::size_t i, int d);
  contact::Element element_at_rest(std::size_t i);
  contact::Element element_that_slides(std::size_t i);
  void narrow(const std::vector<Guard>& fired);
  void apply(const contact::Candidate& c);
  bool try_choice();
  bool part();
  bool leave_at_limit();
  bool hold_by_lag();

  // admissible.cpp
  bool admissible(const contact::Candidate& c);
  void leave_rest(const contact::Candidate& c);
  // Values and derivatives of the guards just after t in these modes, one row each.
  void guard_series(const Regime& r);
  void velocity_series(const Regime& r);
  void note_overrun(const Regime& r, const Guard& g);
  int sign_of(const Regime& r, std::size_t guard);
  bool stands_still(const Regime& r, const Place& p);
  bool rests_stay(const Regime& r);
  void expand_signals();
  void next_term(const Regime& r, int k, Vector& x);

  // impacts.cpp
  double gap_at(std::size_t j) const;
  // Velocity that rounding can have given to what a constraint held at zero until now: constraints are solved
  // to about a hundred times the last digit where they are badly conditioned.
  double drift(const Vector& row) const {
    return 1024.0 * std::numeric_limits<double>::epsilon() * std::max(sys.time_scale, std::abs(t)) *
           row.cwiseAbs().dot(terms);
  }
  double rate_at(std::size_t j) const;
  double gap_size(std::size_t j) const;
  double rate_size(std::size_t j) const;
  bool contact_friction(std::size_t i) const { return sys.places[i].contact >= 0; }
  bool touches(std::size_t i) const { // a place without a contact always does
    return !contact_friction(i) || candidate[static_cast<std::size_t>(sys.places[i].contact)];
  }
  // Its force follows that of a contact which may be closed: it belongs into the problem even while it
  // slides.
  bool loaded_by_contact(std::size_t i) const {
    const Index c = loading_contact(sys.places[i]);
    return c >= 0 && candidate[static_cast<std::size_t>(c)];
  }
  void find_candidates(const std::vector<Guard>& fired, bool start);
  void strike(const std::vector<Index>& contacts, bool collision);
  void note_impulses(const contact::Impact& p, const contact::ImpactSolution& best,
                     const std::vector<Index>& contacts);
  void close_after(const std::vector<Index>& contacts);
};

} // namespace stickslip
