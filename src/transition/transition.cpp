#include "transition/transition.hpp"

#include "core/list.hpp"
#include "dynamics/constraints.hpp"
#include "dynamics/tangent.hpp"
#include "model/smooth.hpp"
#include "transition/automaton_states.hpp"
#include "transition/corners.hpp"
#include "transition/decision.hpp"
#include "transition/quick_transition.hpp"
#include "transition/sampler.hpp"
#include "transition/saturations.hpp"
#include "transition/springs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stickslip {

bool State::operator==(const State& o) const {
  const auto same = [](const Vector& a, const Vector& b) { return a.size() == b.size() && a == b; };
  return t == o.t && same(x, o.x) && modes == o.modes && base_t == o.base_t &&
         base_t_compensation == o.base_t_compensation && same(base_x, o.base_x) &&
         after_transition == o.after_transition && started == o.started && step == o.step &&
         last_error == o.last_error && stiff == o.stiff && same(nominal, o.nominal) &&
         time_scale == o.time_scale && identity == o.identity && instant == o.instant && ticks == o.ticks &&
         same(left, o.left) && brief == o.brief && past == o.past && joint == o.joint;
}

// What a change from one mode of an element that touches to another sets; twice at one instant is as good as once.
void Decision::change(Index i) {
  const Friction& p = sys.friction[i];
  double* x = state->base_x.data();
  const int was = before.friction[i].direction(), is = state->modes.friction[i].direction();
  const double lagged = p.lagged >= 0 ? x[p.lagged] : 0.0;
  change_mode(p, was, is, v(i), load(i), t, x);
  if (held_by_lag(p, before, i) == is && is != 0) x[p.lagged] = lagged; // it goes on from there
}

// The automaton's states: the table is in automaton_states.hpp.
void Decision::enter_modes(bool start) {
  double* x = state->base_x.data();
  for (Index i = 0; i < n; ++i) { // bristles and the surface of what opens or is released are let go
    const Friction& p = sys.friction[i];
    if (state->modes.friction[i].free) let_go(p, x);
    if (!state->modes.friction[i].open()) continue;
    for (Index k = 0; k < p.traits.states; ++k) x[p.states + k] = 0.0;
    if (p.surface_travel >= 0) x[p.surface_travel] = 0.0;
  }
  for (Index i = 0; i < n; ++i) {
    const Friction& p = sys.friction[i];
    if (!set_valued(i) || p.automaton == Automaton{}) continue;
    const FrictionMode &was = before.friction[i], &is = state->modes.friction[i];
    if (is.open()) continue;
    if (start || was.open() || is_gripped(i))
      begin(i, is.direction(), v(i));
    else if (was.mode != is.mode)
      change(i);
    if (presliding(i) && was.mode != is.mode) state->modes.friction[i].hold = Hold::by_limit;
  }
}

// Rows and values of a machine that is not linear, after its state has changed.
void Decision::look_again() {
  if (here == nullptr) return;
  if (corners != nullptr) corners->follow(*state);
  here->move_to(t, state->base_x.data(), state->modes.sides);
  here->write(sig.data());
  cache.clear();
}

// Forces that held until now. A coordinate on which nothing acts but constraints gets its rounding from these alone.
void Decision::size_constraints() {
  normal.setZero();
  borne.setZero(sys.nx);
  if (starting) return;
  const Regime& r = cache.get(sys, before);
  const bool several = r.sticking.size() + r.closed.size() > 1;
  if (!several && !any_load_contact) return;
  xdot.setZero(sys.nx);
  evaluate(sys, r, t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
  normal = force.tail(normal.size());
  for (const Index i : r.sticking) borne += std::abs(force(i)) * sys.friction[i].effect.cwiseAbs();
  for (const Index j : r.closed) borne += std::abs(normal(j)) * sys.contacts[j].effect.cwiseAbs();
}

void Decision::run(State& st, const List<Guard>& fired, Jump& record) {
  state = &st;
  jump = &record;
  t = state->base_t;
  pace = state->time_scale;
  before = state->modes;
  state->modes.at_limit.clear();
  state->modes.open = {};
  starting = jump->occasion == Occasion::start;
  shared = ambiguous = struck = unsolved = false;
  solutions = 1;
  dir.assign(n, 0);
  signal_values(sys, t, sig.data());
  look_again();
  if (starting) remove_overlaps();
  const LinearPart& linear = cache.linear(sys, state->modes);
  terms.noalias() = linear.A.cwiseAbs().lazyProduct(state->base_x.cwiseAbs());
  terms.noalias() += linear.S.cwiseAbs().lazyProduct(sig.cwiseAbs());
  size_constraints();
  switches(fired, starting);
  release(fired);
  jump->decided = settle(fired);
  if (here != nullptr && state->modes.open.directions < 0) state->modes.open.directions = 0;
  if (jump->decided) turn_sides();
  count_slips(fired);
  enter_modes(starting);
  if (jump->rule == Rule::unique || state->modes != before) {
    jump->rule = rule;
    jump->solutions = solutions;
  }
  jump->shared = jump->shared || shared;
  jump->ambiguous = jump->ambiguous || ambiguous;
  state->after_transition = true;
}

// Impacts, what rests, and the modes that follow; once more after an impact without collision. False: no answer.
bool Decision::settle(List<Guard> fired) {
  for (int round = 0; round < 2; ++round) {
    find_candidates(fired);
    if (unsolved) return false;
    if (struck) // what stopped at this instant has been moved
      std::erase_if(fired, [](const Guard& g) { return g.kind == GuardKind::slip_ends; });
    find_sides(starting);
    rests.assign(n, false);
    find_resting(fired, starting);
    carry_presliding(starting);
    project();
    look_again();
    if (choose_modes(fired)) return true;
    if (round > 0 || !strike_without_collision()) return false;
  }
  return false;
}

// No answer: where a contact slides the velocities can jump without a collision (Painleve); then look once more.
bool Decision::strike_without_collision() {
  List<Index> touching;
  bool slides = false;
  for (Index j = 0; j < candidate.size(); ++j)
    if (candidate[j]) {
      touching.push_back(j);
      for (Index i = 0; i < n; ++i) slides = slides || (sys.friction[i].contact == j && !rests[i]);
    }
  if (!slides) return false;
  if (std::optional<PosedImpact> posed = pose_impact(touching, false)) strike(*posed);
  if (!struck || unsolved) return false;
  for (const Index j : touching)
    state->modes.contact[j] = rate_at(j) <= no_rate(j) ? Mode::closed : Mode::open;
  return true;
}

// What accumulations of slips are counted by, and the memory of the laws of what comes to rest or leaves it.
void Decision::count_slips(const List<Guard>& fired) {
  for (const Guard& g : fired) // reached its limit, but would slip the wrong way
    if (g.kind == GuardKind::breaks_away) {
      const auto i = g.friction;
      if (!presliding(i) && state->modes.friction[i].sticks() && sys.friction[i].traits.switches == 0)
        count_towards_rest(i);
    }
  for (Index i = 0; i < n; ++i) // also one that came to rest and goes on at once
    if (!state->modes.friction[i].sticks() && (rests[i] || before.friction[i].sticks())) state->left(i) = t;
  for (Index i = 0; i < n; ++i) { // elements of a law that also sticks begin anew with each rest
    if (!set_valued(i) || presliding(i)) continue;
    const Friction& p = sys.friction[i];
    const bool rest = state->modes.friction[i].sticks(),
               changed = state->modes.friction[i].mode != before.friction[i].mode;
    const bool firm = state->modes.friction[i].hold == Hold::firmly;
    const bool keeps = rest && (firm || held_by_lag(p, state->modes, i) != 0);
    if (rest && changed && firm) rule = Rule::accumulation;
    if (changed ? !keeps : !rest && firm) enter(i, state->modes.friction[i].mode);
  }
}

Transition::Transition(const System& s, RegimeCache& c, const Cutoffs& cutoffs, Tangent* at)
    : sys(s), cache(c), here(at), scratch(s),
      corners(at != nullptr && !s.smooth->tape.conditions.empty() ? std::make_unique<Corners>(s, c, scratch)
                                                                  : nullptr),
      decision(std::make_unique<Decision>(s, c, scratch, cutoffs, at, corners.get())),
      quick(std::make_unique<QuickTransition>(s, c, scratch)),
      sampler(std::make_unique<Sampler>(s, c, scratch)) {}

Transition::~Transition() = default;

bool Transition::samples() const {
  return sampler->any();
}

double Transition::next_tick(const State& state) const {
  return sampler->next(state);
}

void Transition::signals_changed() {
  quick->signals_changed();
  sampler->signals_changed();
}

void Transition::look(const State& state) {
  if (here == nullptr) return;
  here->move_to(state.base_t, state.base_x.data(), state.modes.sides);
  cache.clear();
}

const Jump& Transition::finish(State& state) {
  keep_constraints(sys, state.base_t, state.base_x.data());
  see(sys, state);
  jump.end(state);
  unfinished = false;
  return jump;
}

const Jump& Transition::start(State& state, bool ticks) {
  look(state);
  if (ticks && sampler->due(state, state.base_t)) sampler->run(state, cache.linear(sys, state.modes));
  jump.begin(state, Occasion::start, {});
  general(state);
  return finish(state);
}

const Jump& Transition::after(const Regime& regime, State& state, const List<Guard>& fired) {
  jump.begin(state, Occasion::motion, fired);
  unfinished = true;
  look(state);
  if (here != nullptr || fired.size() != 1 || !quick->apply(regime, state, fired[0], jump)) general(state);
  return finish(state);
}

const Jump& Transition::scheduled(State& state, const List<Guard>& fired, bool breakpoint,
                                  const Regime* present) {
  jump.begin(state, Occasion::motion, fired);
  unfinished = true;
  look(state);
  if (sampler->due(state, state.base_t)) {
    const Regime& regime = here == nullptr && present != nullptr ? *present : cache.get(sys, state.modes);
    ticks_before = state.ticks;
    jump.sampled = jump.changed = true;
    sampler->run(state, *regime.linear);
    if (fired.empty() && !breakpoint && sampler->quiet(state, regime)) {
      jump.quiet = true;
      jump.end(state);
      unfinished = false;
      return jump;
    }
  }
  general(state, breakpoint || jump.sampled);
  return finish(state);
}

void Transition::take_back(State& state) {
  if (!std::exchange(unfinished, false)) return;
  state.base_x = jump.x_before;
  state.modes = jump.before;
  if (jump.sampled) state.ticks = ticks_before;
  state.after_transition = false;
}

void Transition::general(State& state, bool forces_jump) {
  jump.changed = true;
  // No force changes when the velocity of a bristle passes zero or an element of it lets go, so nothing else
  // has to be decided.
  const List<Guard>& fired = jump.fired;
  const bool jumps =
      forces_jump || (corners && (corners->pass(state, fired) || state.modes.contact != jump.before.contact));
  if (!fired.empty() && !jumps && std::all_of(fired.begin(), fired.end(), [](const Guard& g) {
        return g.kind == GuardKind::velocity_reversal || g.kind == GuardKind::branch ||
               g.kind == GuardKind::corner || g.kind == GuardKind::condition;
      })) {
    jump.occasion = Occasion::flow;
    for (const Guard& g : fired) switch_flow(sys, state.modes, g, state.base_x.data());
    if (!sys.flanks.empty()) Springs(sys, cache, scratch, state).choose(fired, false);
    state.after_transition = true;
    return;
  }
  const auto of_sharing = [](const Guard& g) { return g.kind == GuardKind::sharing_changes; };
  if (jump.occasion == Occasion::motion && !fired.empty() &&
      std::all_of(fired.begin(), fired.end(), of_sharing)) {
    if (decision->share_anew(state, jump)) { // the motion goes on
      jump.occasion = Occasion::flow;
      state.after_transition = true;
      return;
    }
  } else {
    std::erase_if(jump.fired, of_sharing);
  }
  if (sys.saturations == 0 && sys.flanks.empty() && !corners) return decision->run(state, fired, jump);
  const bool start = jump.occasion == Occasion::start;
  Springs springs(sys, cache, scratch, state);
  springs.choose(fired, start);
  Saturations limits(sys, cache, scratch, state);
  limits.choose_all(fired, start);
  List<Guard> of_elements = fired;
  std::erase_if(of_elements, [](const Guard& g) { return g.kind == GuardKind::condition; });
  decision->run(state, of_elements, jump);
  for (int round = 0; round < 3; ++round) {
    const bool other_springs = springs.review(), other_limits = limits.review(),
               other_sides = corners && corners->review(state);
    if (!other_springs && !other_limits && !other_sides) break;
    decision->run(state, {}, jump);
  }
  if (corners && corners->facing() >= 0) jump.facing = corners->facing(), jump.decided = false;
}

} // namespace stickslip
