#include "linear/operating_point.hpp"

#include "core/error.hpp"
#include "core/list.hpp"
#include "sensitivity/replica.hpp"

#include <array>
#include <utility>
#include <variant>

namespace stickslip {

namespace {

bool set_contact_mode(const System& sys, Modes& modes, Index j, Mode mode) {
  const Contact& c = sys.contacts[j];
  const bool opens = mode == Mode::open || (c.of_velocity && mode == Mode::free);
  const bool closes = mode == Mode::closed || (c.of_velocity && mode == Mode::locked);
  if (!opens && !closes && c.friction < 0) return false;
  modes.contact[j] = opens ? Mode::open : Mode::closed;
  if (c.friction < 0 || mode == Mode::closed) return true;
  modes.friction[c.friction].enter(opens ? Mode::open : mode);
  return true;
}

// Switches of a law after long sliding: every element of Maxwell's slips.
unsigned branch_in_sliding(const Friction& p) {
  if (p.law.terms.size() != 1 || !std::holds_alternative<MaxwellSlip>(p.law.terms.front())) return 0U;
  return (1U << p.traits.switches) - 1U;
}

bool set_friction_mode(const System& sys, Modes& modes, Index i, Mode mode) {
  if (direction(mode) == 0 && mode != Mode::open && !(mode == Mode::stick && sys.friction[i].traits.sticks))
    return false;
  modes.friction[i].enter(mode);
  modes.friction[i].free = false;
  if (direction(mode) != 0) modes.friction[i].branch = branch_in_sliding(sys.friction[i]);
  return true;
}

bool set_limit(const Loop& l, Modes& modes, Mode mode) {
  constexpr std::array<std::pair<Mode, Saturation>, 3> words{
      {{Mode::free, Saturation::free}, {Mode::high, Saturation::high}, {Mode::low, Saturation::low}}};
  for (const auto& [word, limit] : words) {
    if (word != mode) continue;
    for (Index k = 0; k < l.block.outputs(); ++k) modes.saturation[l.saturation + k] = limit;
    return true;
  }
  return false;
}

} // namespace

State state_within(const Trajectory& run, double t) {
  if (t == run.t_end || run.kept != Keep::segments) return run.state;
  const Segment& segment = run.segments[run.segment_at(t)];
  State out = run.state;
  out.t = out.base_t = t;
  run.state_at(segment, t, out.x.data());
  out.base_x = out.x;
  out.modes = segment.regime->modes;
  return out;
}

void require_state_of(const System& sys, const State& state) {
  if (state.identity != sys.identity)
    reject("at", "belongs to another machine: it is of " + state.identity.text + ", this one is " +
                     sys.identity.text);
}

void prescribe_mode(const System& sys, State& state, const std::string& name, Mode mode) {
  List<std::string> known;
  const auto is_named = [&](const std::string& one) {
    known.push_back(one);
    return one == name;
  };
  const auto require = [&](bool possible) {
    if (!possible) reject("modes['" + name + "']", "cannot be '" + std::string(stickslip::name(mode)) + "'");
  };
  for (Index j = 0; j < sys.contacts.size(); ++j)
    if (is_named(sys.contacts[j].name)) return require(set_contact_mode(sys, state.modes, j, mode));
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (!sys.shares_modes(i) && is_named(sys.friction[i].name)) {
      require(set_friction_mode(sys, state.modes, i, mode));
      for (Index j = 0; j < sys.friction.size(); ++j)
        if (sys.friction[j].partner == i) set_friction_mode(sys, state.modes, j, mode);
      return;
    }
  for (const Loop& l : sys.loops)
    if (l.saturation >= 0 && is_named(l.name)) return require(set_limit(l, state.modes, mode));
  throw UnknownName("unknown element '" + name + "' in modes; known are: " + quoted(known));
}

State moved_state(const std::shared_ptr<Compiled>& machine, const State& state, double t, const Vector& x) {
  Replica replica(machine, {});
  Vector to = x;
  if (replica.projects(state.modes)) replica.project(state.modes, t, to);
  replica.hold(replica.regime(state.modes), t, to);
  State out = initial_state(machine->system, t, to);
  out.modes.friction = state.modes.friction;
  out.modes.contact = state.modes.contact;
  out.modes.saturation = state.modes.saturation;
  return out;
}

} // namespace stickslip
