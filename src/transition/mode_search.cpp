#include "transition/mode_search.hpp"

#include "core/switches.hpp"
#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

namespace ct = contact;

// The steps of a search: each tries to find an answer after one change of the problem.
struct Steps {
  Instant& at;
  const ActiveSet& active;
  ModeProblem& posed;
  ModeSearch& search;

  bool choose() {
    auto holds = [this](const ct::Candidate& c, List<std::uint8_t>& leaving) {
      return is_admissible(at, active, posed, c, leaving, search);
    };
    State& state = *at.state;
    search.entry = state.modes;
    search.entry_x = state.base_x;
    search.admitted.clear();
    search.doubted = false;
    ct::choose(posed.problem, posed.present, posed.allowed, ct::admissible_by(holds), search.work,
               search.answer);
    state.modes = search.entry;
    state.base_x = search.entry_x;
    return search.answer.found();
  }

  // Guards that fired together need not all change their modes.
  bool choose_freely() {
    if (!STICKSLIP_RULE("choose_freely")) return false;
    posed.allow_all(at.sys);
    return choose();
  }

  // A lag can hold element q.
  bool lag_can_hold(Index q) const {
    const Index i = posed.elements[q];
    const Friction& p = at.sys.friction[i];
    return active.rests[i] && p.lagged >= 0 && !at.contact_friction(i) && p.traits.switches == 0;
  }
  // Present limit of rest on a side, > 0 as a rule.
  double limit_of(Index q, int side) const {
    const ct::Element& element = posed.problem.elements[q];
    const double load =
        element.contact < 0 ? 0.0 : at.contact_force(at.sys.friction[posed.elements[q]].load_contact);
    return side > 0 ? element.high.at(load) : -element.low.at(load);
  }

  // With a lag, friction at break-away is continuous: an element does not move if its limit falls below the force, or
  // if the force grows more slowly than the lagged friction would; nor does one that stops while the lagged friction is
  // above the limit, since the load fell. The lagged force, which tends to the static level, holds it.
  bool hold_by_lag() {
    if (!STICKSLIP_RULE("hold_by_lag")) return false;
    bool any = false;
    for (Index q = 0; q < posed.elements.size(); ++q) {
      if (!lag_can_hold(q)) continue;
      const Index i = posed.elements[q];
      double& lagged = at.x()[at.sys.friction[i].lagged];
      int side = at.was(i).direction();
      if (side == 0 || !(lagged > limit_of(q, side))) {
        side = search.overrun.empty() ? 0 : search.overrun[q];
        if (side == 0) continue;
        lagged = limit_of(q, side);
      }
      (side > 0 ? posed.problem.elements[q].high : posed.problem.elements[q].low) = {side * lagged, 0.0};
      at.mode(i).hold = above_limit(side);
      any = true;
    }
    return any && choose_freely();
  }

  // Times of guards at one instant may differ by the error of event location: all tolerances include it.
  bool as_located() {
    if (!STICKSLIP_RULE("try_as_located")) return false;
    posed.problem.located = true;
    return choose_freely();
  }

  // Enumerates the mode sets if they are not too many: finds an answer that Lemke's method missed, or the proof that
  // there is none.
  bool enumerate() {
    if (!STICKSLIP_RULE("try_everything")) return false;
    search.work.stage.most_modes = ct::largest_on_failure;
    search.work.departures = STICKSLIP_RULE("departures");
    const bool found = choose_freely();
    search.work.stage.most_modes = ct::largest_mode_count;
    search.work.departures = false;
    if (found) return true;
    // Proven if no combination solves equations and inequalities, neither at the instant nor on an interval after it.
    at.jump->none_exists = search.answer.solutions == 0 && !search.doubted;
    at.jump->touching = posed.closed;
    return false;
  }

  // If neither rest nor slip holds, the difference between them is below the errors: the motion has crept to rest at
  // its limit. The element is held as after an accumulation of slips.
  bool hold_firmly() {
    if (!STICKSLIP_RULE("try_firmly") || posed.order > 0)
      return false;                              // no motion exists yet before the loads begin
    if (at.jump->unresisting >= 0) return false; // a contact may hold: no error of the limits decides
    List<Index> changed;
    for (Index q = 0; q < posed.elements.size(); ++q) {
      Hold& hold = at.mode(posed.elements[q]).hold;
      if (!active.rests[posed.elements[q]] || hold != Hold::by_limit) continue;
      hold = Hold::firmly;
      const ct::Element firm = element_at_rest(at, posed.elements[q]);
      posed.problem.elements[q].low = firm.low, posed.problem.elements[q].high = firm.high;
      changed.push_back(q);
    }
    const bool found = !changed.empty() && choose();
    if (found) at.jump->none_exists = false;
    for (const Index q : changed)
      if (!found || search.answer.answer.modes[posed.closed.size() + q] != Mode::stick)
        at.mode(posed.elements[q]).hold = Hold::by_limit;
    return found;
  }
};

} // namespace

bool choose_modes(Instant& at, const ActiveSet& active, const List<Guard>& fired, ModeProblem& posed,
                  ModeSearch& search) {
  search.overrun.clear();
  if (posed.size() == 0) {
    search.answer = {};
    search.answer.rule = Rule::unique, search.answer.solutions = 1;
    return true;
  }
  narrow(active, fired, posed);
  Steps steps{at, active, posed, search};
  if (!steps.choose() && !steps.choose_freely() && !steps.hold_by_lag() && !steps.as_located() &&
      !steps.enumerate() && !steps.hold_firmly())
    return false;
  const ct::Candidate& answer = search.answer.answer;
  Modes& modes = at.state->modes;
  posed.apply(answer, active, modes);
  for (const ModeSearch::Admitted& a : search.admitted)
    if (a.modes == answer.modes) modes.at_limit = a.at_limit, modes.open = a.open, at.state->zeros = a.zeros;
  at.contact_force.setZero();
  for (Index k = 0; k < posed.closed.size(); ++k) at.contact_force(posed.closed[k]) = answer.force[k];
  return true;
}

} // namespace stickslip
