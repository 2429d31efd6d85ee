#include "realtime/contact_instant.hpp"

#include "core/tolerances.hpp"
#include "transition/memory.hpp"
#include "transition/mode_changes.hpp"
#include "transition/sides.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip {

namespace {

// Successive impacts at one instant, per contact of the machine: in a row of bodies each passes on its momentum and is
// hit from the other side.
constexpr Index impacts_per_contact = 4;

} // namespace

bool has_rigid_contacts(const System& sys) {
  return std::any_of(sys.contacts.begin(), sys.contacts.end(), [](const Contact& c) { return !c.yields(); });
}

ContactInstant::ContactInstant(const System& system, RegimeCache& regimes, const State& first)
    : sys(system), state(first), scratch(system), at(system, regimes, scratch, {}, nullptr, nullptr),
      impulses(Vector::Zero(system.contacts.size())) {
  make_room();
}

void ContactInstant::make_room() {
  const Index nc = sys.contacts.size(), np = sys.friction.size();
  at.terms = at.constraint_terms = at.impact_terms = at.xdot = Vector::Zero(sys.nx);
  at.before = tried = state.modes;
  tangents.assign(nc, 0);
  for (const Friction& p : sys.friction)
    if (p.contact >= 0) ++tangents[p.contact];
  const Index sets = count_mode_sets();
  few_modes = sets <= contact::largest_mode_count;
  touched.assign(nc, false);
  fired.reserve(4 * (nc + np) + sys.flanks.size() + sys.saturations);
  causes.reserve(static_cast<Index>(fired.capacity()) + np);
  struck.reserve(nc), approaching.reserve(nc);
  active.touching.reserve(nc);
  active.rests.reserve(np), active.leaves.reserve(np), active.stopped.reserve(np), active.seated.reserve(np);
  const Index rigid = std::count_if(sys.contacts.begin(), sys.contacts.end(),
                                    [](const Contact& c) { return !c.yields(); }),
              rubs = std::accumulate(tangents.begin(), tangents.end(), Index{0});
  rooms.assign(rigid + 1, List<Room>(np + 1));
  work.stage.solve.shares = contact::Shares::none;
  for (List<Room>& row : rooms)
    for (Room& room : row) room.impacts.stage.solve.shares = contact::Shares::none;
  if (!few_modes) return;
  contact::reserve(rigid, np, sets, work, answer);
  for (Index c = 0; c <= rigid; ++c)
    for (Index k = 0; k <= np; ++k) rooms[c][k].reserve(sys, c, k, c > 0 && k <= rubs ? sets : 0);
}

// An upper bound for one instant: in the expansion phase friction may act at a contact without normal impulse.
Index ContactInstant::count_mode_sets() const {
  Index sets = 1;
  const auto times = [&](Index by) { sets = std::min(sets * by, contact::largest_on_failure); };
  for (const Contact& c : sys.contacts)
    if (!c.yields()) times(2);
  for (Index i = 0; i < sys.friction.size(); ++i) times(3);
  return sets;
}

void ContactInstant::Room::reserve(const System& sys, Index contacts, Index elements, Index sets) {
  const Index n = contacts + elements;
  contact::Problem& p = modes.problem;
  p.G.setZero(n, n), p.free.setZero(n), p.free_size.setZero(n);
  p.elements.reserve(elements);
  modes.rows.setZero(n, sys.nx), modes.columns.setZero(sys.nx, n);
  modes.closed.reserve(contacts), modes.elements.reserve(elements);
  modes.number.reserve(sys.contacts.size());
  modes.present.reserve(n), modes.allowed.reserve(n);
  if (sets == 0) return;
  impact.reserve(contacts, elements);
  impact.problem.G.setZero(n, n), impact.problem.friction.setZero(elements);
  impact.problem.velocity.setZero(n), impact.problem.wall.setZero(n);
  impact.problem.restitution.setZero(contacts);
  impacts.reserve(contacts, elements, sets);
}

void ContactInstant::share_friction() {
  few_modes = false;
  work.stage.solve.shares = contact::Shares::friction;
}

void ContactInstant::begin(double t, const double* signals, const double* x, const Modes& modes) {
  state.base_t = t;
  std::copy_n(x, sys.nx, state.base_x.data());
  state.modes = modes;
  state.nominal = state.nominal.cwiseMax(state.base_x.cwiseAbs());
  state.slips.left.setConstant(
      -std::numeric_limits<
          double>::infinity()); // the fixed step bounds the number of slips in rapid succession
  std::fill(state.slips.brief.begin(), state.slips.brief.end(), std::int8_t{0});
  record.impacts = 0;
  record.impulses.clear(), record.rubs.clear();
  at.state = &state;
  at.jump = &record;
  at.t = t;
  at.before = modes;
  std::copy_n(signals, sys.ns(), at.signals.data());
  at.impact_terms.setZero();
  at.size_terms();
}

bool ContactInstant::decide(double t, const double* signals, const List<Guard>& guards, bool rebounds,
                            double* x, Modes& modes) noexcept {
  begin(t, signals, x, modes);
  causes = guards;
  stop_at_lift_off();
  for (const Guard& g : causes) switch_flow(sys, state.modes, g, at.x());
  const bool decided = strike(rebounds) && choose();
  std::copy_n(state.base_x.data(), sys.nx, x);
  if (decided) modes = state.modes;
  return decided;
}

// Beside a closed contact friction keeps its kinetic level at v = 0; as the contact lifts off, it comes to rest.
void ContactInstant::stop_at_lift_off() {
  const auto lifts = [](const Guard& g) { return g.kind == GuardKind::lifts_off; };
  if (std::none_of(causes.begin(), causes.end(), lifts)) return;
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const FrictionMode& mode = at.mode(i);
        at.set_valued(i) && mode.slips() && std::abs(at.v(i)) <= tolerance::residual * at.v_size(i))
      causes.push_back(Guard::of_friction(GuardKind::slip_ends, i, mode.direction()));
}

// Impacts until no touching contact approaches. False if an impact has no answer or the impacts do not end.
bool ContactInstant::strike(bool rebounds) {
  for (Index j = 0; j < touched.size(); ++j) touched[j] = state.modes.contact[j] == Mode::closed;
  for (const Guard& g : causes)
    if (meets_contact(g)) touched[g.contact] = true;
  active.struck = false;
  const Index most = impacts_per_contact * touched.size();
  for (Index k = 0; find_approaching(), !approaching.empty(); ++k)
    if (k == most || !strike_once(rebounds)) return false;
  for (Index j = 0; j < touched.size(); ++j) {
    if (sys.contacts[j].yields() || !touched[j]) continue;
    const bool closed = at.rate(j) <= at.no_rate(j);
    const Contact& c = sys.contacts[j]; // a clutch has no gap
    if (state.modes.contact[j] != Mode::closed && !c.of_velocity) move_onto(at, c.gap, c.effect);
    state.modes.contact[j] = closed ? Mode::closed : Mode::open;
  }
  if (active.struck) // an impact has moved elements that stopped at this instant
    std::erase_if(causes, [](const Guard& g) { return g.kind == GuardKind::slip_ends; });
  return true;
}

void ContactInstant::find_approaching() {
  approaching.clear();
  for (Index j = 0; j < touched.size(); ++j)
    if (touched[j] && !sys.contacts[j].yields() && at.rate(j) < -at.no_rate(j)) approaching.push_back(j);
}

// One impact of all contacts that touch and do not separate. Rebounds below the threshold are plastic.
bool ContactInstant::strike_once(bool rebounds) {
  struck.clear();
  Index rubs = 0;
  for (Index j = 0; j < touched.size(); ++j) {
    if (!touched[j] || sys.contacts[j].yields() || at.rate(j) > at.no_rate(j)) continue;
    struck.push_back(j);
    rubs += tangents[j];
  }
  Room& room = rooms[struck.size()][rubs];
  if (!pose_impact(at, struck, true, room.impact)) return false;
  contact::Impact& p = room.impact.problem;
  for (Index k = 0; k < struck.size(); ++k) {
    const double by = p.restitution(k) * std::abs(at.rate(struck[k]));
    if (!rebounds || by <= least_rebound(at, struck[k])) p.restitution(k) = 0.0;
  }
  contact::find_outcomes(p, room.impacts);
  if (room.impacts.found == 0) return false;
  const contact::ImpactSolution& best = room.impacts.outcomes[0].solution;
  change_velocities(at, room.impact, best.impulse);
  for (Index k = 0; k < struck.size(); ++k) impulses(struck[k]) += best.impulse(k);
  active.struck = true;
  return true;
}

bool ContactInstant::choose() {
  find_touching(at, active);
  find_sides(at, active);
  find_resting(at, causes, {}, active);
  carry_presliding(at, active);
  Index closed = 0, elements = 0;
  for (const bool touches : active.touching) closed += touches;
  for (Index i = 0; i < sys.friction.size(); ++i)
    elements += active.rests[i] || active.loaded_by_contact(sys, i);
  ModeProblem& posed = rooms[closed][elements].modes;
  pose_forces(at, active, posed);
  if (posed.size() > 0) {
    narrow(active, causes, posed);
    if (!search(posed)) return false;
    posed.apply(answer.answer, active, state.modes);
  }
  turn_sides(at);
  count_slips(at, causes, active);
  enter_modes(at);
  return true;
}

// Guards of one instant need not all change their modes, and their times may differ by the error of event location.
bool ContactInstant::search(ModeProblem& posed) {
  auto holds = [&](const contact::Candidate& c, List<std::uint8_t>& leaving) {
    if (!leaving.empty()) return true; // the modes to which this leads decide
    tried = state.modes;
    posed.apply(c, active, tried);
    return lasts.call == nullptr || lasts.call(lasts.self, tried, state.base_x.data());
  };
  contact::Admissible admissible = contact::admissible_by(holds);
  const auto found = [&] {
    contact::choose(posed.problem, posed.present, posed.allowed, admissible, work, answer);
    return answer.found();
  };
  if (found()) return true;
  std::fill(posed.allowed.begin(), posed.allowed.end(), contact::anything);
  if (found()) return true;
  posed.problem.located = true;
  if (found()) return true;
  admissible = {};
  return found();
}

} // namespace stickslip
