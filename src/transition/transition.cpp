// One instant, in its order:
//   scheduled()     sampled controllers put out and sample; if no guard can change, the motion continues
//   change_modes()  springs and limits of controllers; decide(); repeated if these change the inputs of the others
//   decide()        memory of laws; settle(); initial states of the new modes
//   settle()        1 impacts, one after the other              impact_order.cpp
//                   2 contacts that touch, elements at rest     active_set.cpp, sides.cpp
//                   3 exactly zero velocities of these          active_set.cpp
//                   4 the complementarity problem               mode_problem.cpp
//                   5 its answers, and the choice among them    mode_search.cpp (rules.cpp, admissible.cpp)
//                   without an answer: impact without collision (Painleve), then again from 1
//   finish()        constraints hold exactly; the record of the instant, of which events are views (event.cpp)
#include "transition/transition.hpp"

#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"
#include "model/smooth.hpp"
#include "transition/corners.hpp"
#include "transition/impacts.hpp"
#include "transition/memory.hpp"
#include "transition/mode_search.hpp"
#include "transition/quick_transition.hpp"
#include "transition/sampler.hpp"
#include "transition/saturations.hpp"
#include "transition/shared_forces.hpp"
#include "transition/sides.hpp"
#include "transition/springs.hpp"

#include <algorithm>
#include <utility>

namespace stickslip {

struct Transition::Decision {
  Instant at;
  Impacts impacts;
  ActiveSet active;
  ModeProblem problem;
  ModeSearch search;
};

namespace {

// Modes of springs, of limits of controllers and of conditions in formulas. A null pointer: this instant does not decide
// these.
struct OtherModes {
  const Springs& springs;
  const Saturations* limits = nullptr;
  const Corners* corners = nullptr;

  std::optional<SignAfter> sign_of(const Guard& g, const LinearPart& part) const {
    if (g.flank >= 0) return springs.sign_of(part.flank_guards[g.flank_guard]);
    if (g.saturation >= 0 && limits) return limits->sign_of(part.guards[g.saturation]);
    if (g.condition >= 0 && corners) return corners->sign_of(g.condition);
    return {};
  }
};

// The flow starts from the signs that were decided.
void hand_over(const OtherModes& decided, const System& sys, RegimeCache& cache, MotionAfter& motion,
               State& state) {
  const bool by_motion =
      decided.springs.any_open() || (decided.limits != nullptr && decided.limits->any_open());
  if (!by_motion && decided.corners == nullptr) return;
  if (by_motion) motion.expand(true);
  const Regime& r = cache.get(sys, state.modes);
  state.zeros.resize(r.guards.size(), -1);
  for (Index k = 0; k < r.guards.size(); ++k)
    if (const std::optional<SignAfter> after = decided.sign_of(r.guards[k], *r.linear);
        after && after->sign <= 0)
      state.zeros[k] = after->order;
}

} // namespace

Transition::Transition(const System& s, RegimeCache& c, const Cutoffs& cutoffs, Tangent* at)
    : sys(s), cache(c), here(at), scratch(s),
      corners(at != nullptr && !s.smooth->tape.conditions.empty() ? std::make_unique<Corners>(s, c, scratch)
                                                                  : nullptr),
      decision(new Decision{Instant(s, c, scratch, cutoffs, at, corners.get()), {}, {}, {}, {}}),
      quick(std::make_unique<QuickTransition>(s, c, scratch)),
      sampler(std::make_unique<Sampler>(s, c, scratch)) {}

Transition::~Transition() = default;

bool Transition::samples() const {
  return sampler->any();
}

double Transition::next_sampling_instant(const State& state) const {
  return sampler->next(state);
}

void Transition::signals_changed() {
  quick->signals_changed();
  sampler->signals_changed();
}

void Transition::look(const State& state) {
  if (here == nullptr) return;
  here->move_to(state);
  cache.clear();
}

const Jump& Transition::start(State& state, bool sampled) {
  look(state);
  if (sampled && sampler->due(state, state.base_t)) sampler->run(state, cache.linear(sys, state.modes));
  jump.begin(state, Occasion::start, {});
  change_modes(state);
  return finish(state);
}

const Jump& Transition::after(const Regime& regime, State& state, const List<Guard>& fired) {
  jump.begin(state, Occasion::motion, fired);
  unfinished = true;
  look(state);
  if (here != nullptr || fired.size() != 1 || !quick->apply(regime, state, fired[0], jump))
    change_modes(state);
  return finish(state);
}

const Jump& Transition::scheduled(State& state, const List<Guard>& fired, bool breakpoint,
                                  const Regime* present) {
  jump.begin(state, Occasion::motion, fired);
  unfinished = true;
  look(state);
  if (sampler->due(state, state.base_t)) {
    const Regime& regime = here == nullptr && present != nullptr ? *present : cache.get(sys, state.modes);
    sampling_before = state.sampling;
    jump.sampled = jump.changed = true;
    sampler->run(state, *regime.linear);
    if (fired.empty() && !breakpoint && sampler->quiet(state, regime)) {
      jump.quiet = true;
      jump.end(state);
      unfinished = false;
      return jump;
    }
  }
  change_modes(state, breakpoint || jump.sampled);
  return finish(state);
}

void Transition::take_back(State& state) {
  if (!std::exchange(unfinished, false)) return;
  state.base_x = jump.x_before;
  state.modes = jump.before;
  if (jump.sampled) state.sampling = sampling_before;
  state.after_transition = false;
}

const Jump& Transition::finish(State& state) {
  keep_constraints(sys, state.base_t, state.base_x.data());
  see(sys, state);
  jump.end(state);
  unfinished = false;
  return jump;
}

// Guards that fire without a jump of any force, so that nothing has to be decided: the velocity of a bristle passes
// zero, an element of a bristle law begins to slip, shared forces reach or leave a limit.
bool Transition::goes_on(State& state, bool forces_jump) {
  const auto all_fired = [&](auto&& is) {
    return !jump.fired.empty() && std::all_of(jump.fired.begin(), jump.fired.end(), is);
  };
  const auto of_sharing = [](const Guard& g) { return g.kind == GuardKind::sharing_changes; };
  const auto of_flow = [](const Guard& g) { return g.traits().of_flow; };
  if (!forces_jump && all_fired(of_flow)) {
    for (const Guard& g : jump.fired) switch_flow(sys, state.modes, g, state.base_x.data());
    state.zeros.clear();
    if (sys.flanks.empty()) return true;
    MotionAfter motion(sys, cache, scratch, state);
    Springs springs(sys, cache, state, motion);
    springs.choose(jump.fired, false);
    hand_over({springs}, sys, cache, motion, state);
    return true;
  }
  if (jump.occasion == Occasion::motion && all_fired(of_sharing)) {
    decision->at.begin(state, jump);
    state.zeros.clear();
    return share_anew(decision->at, decision->search.series, decision->search.broken);
  }
  std::erase_if(jump.fired, of_sharing);
  return false;
}

void Transition::change_modes(State& state, bool forces_jump) {
  jump.changed = true;
  const List<Guard>& fired = jump.fired;
  const bool jumps =
      forces_jump || (corners && (corners->pass(state, fired) || state.modes.contact != jump.before.contact));
  if (goes_on(state, jumps)) {
    jump.occasion = Occasion::flow;
    state.after_transition = true;
    return;
  }
  if (sys.saturations == 0 && sys.flanks.empty() && !corners) return decide(state, fired);
  const bool start = jump.occasion == Occasion::start;
  if (sys.saturations > 0) settle_following(sys, cache, state);
  MotionAfter motion(sys, cache, scratch, state);
  Springs springs(sys, cache, state, motion);
  springs.choose(fired, start);
  Saturations limits(sys, cache, state, motion);
  limits.choose(fired, start);
  List<Guard> of_elements = fired;
  std::erase_if(of_elements, [](const Guard& g) { return g.kind == GuardKind::condition; });
  decide(state, of_elements);
  for (int round = 0; round < 3; ++round) {
    const bool other_springs = springs.review(), other_limits = limits.review(),
               other_sides = corners && corners->review(state);
    if (!other_springs && !other_limits && !other_sides) break;
    decide(state, {});
  }
  hand_over({springs, &limits, corners.get()}, sys, cache, motion, state);
  if (corners && corners->facing() >= 0) jump.facing = corners->facing(), jump.decided = false;
}

void Transition::decide(State& state, const List<Guard>& fired) {
  auto& [at, impacts, active, problem, search] = *decision;
  at.begin(state, jump);
  state.modes.at_limit.clear();
  state.modes.open = {};
  state.zeros.clear();
  if (at.starting) remove_overlaps(at);
  at.size_terms();
  switch_laws(at, fired);
  impacts = {};
  jump.decided = settle(fired);
  if (here != nullptr && state.modes.open.directions < 0) state.modes.open.directions = 0;
  state.after_transition = true;
  jump.ambiguous = jump.ambiguous || impacts.ambiguous;
  if (!jump.decided) {
    jump.solutions = impacts.solutions;
    return;
  }
  turn_sides(at);
  const contact::Choice& answer = search.answer;
  const bool accumulated = count_slips(at, fired, active);
  enter_modes(at);
  if (jump.rule == Rule::unique || state.modes != at.before) {
    jump.rule = accumulated ? Rule::accumulation : answer.rule;
    jump.solutions = impacts.any ? impacts.solutions : answer.solutions;
  }
  jump.shared = jump.shared || !answer.answer.unique;
  jump.ambiguous = jump.ambiguous || answer.rule == Rule::ambiguous;
}

// False: no answer.
bool Transition::settle(List<Guard> fired) {
  auto& [at, impacts, active, problem, search] = *decision;
  for (int round = 0; round < 2; ++round) {
    make_impacts(at, fired, impacts);
    if (impacts.unsolved) return false;
    active.struck = impacts.any;
    if (active.struck) // an impact has moved elements that stopped at this instant
      std::erase_if(fired, [](const Guard& g) { return g.kind == GuardKind::slip_ends; });
    find_touching(at, active);
    find_sides(at, active);
    find_resting(at, fired, search.broken, active);
    carry_presliding(at, active);
    project(at, active);
    at.look_again();
    if (choose(fired)) return true;
    if (round > 0 || !strike_where_something_slides()) return false;
  }
  return false;
}

// Loads by reactions depend on the modes that they decide: repeated until both agree.
bool Transition::choose(const List<Guard>& fired) {
  auto& [at, impacts, active, problem, search] = *decision;
  constexpr int most_rounds = 50;
  for (int round = 0; round < most_rounds; ++round) {
    pose(at, active, problem);
    if (!choose_modes(at, active, fired, problem, search)) return false;
    if (!follow_reactions(at)) return true;
  }
  return false;
}

bool Transition::strike_where_something_slides() {
  auto& [at, impacts, active, problem, search] = *decision;
  List<Index> touching;
  for (Index j = 0; j < active.touching.size(); ++j)
    if (active.touching[j]) touching.push_back(j);
  for (Index i = 0; i < sys.friction.size(); ++i)
    if (const Index j = sys.friction[i].contact; j >= 0 && active.touching[j] && !active.rests[i])
      return strike_without_collision(at, touching, impacts);
  return false;
}

} // namespace stickslip
