#include "transition/transition.hpp"

#include "transition/automaton_states.hpp"
#include "transition/decision.hpp"
#include "transition/saturations.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

bool State::operator==(const State& o) const {
  return t == o.t && x == o.x && modes == o.modes && base_t == o.base_t && base_rest == o.base_rest &&
         base_x == o.base_x && after_transition == o.after_transition && started == o.started &&
         step == o.step && last_error == o.last_error && stiff == o.stiff && nominal == o.nominal &&
         instant == o.instant && ticks == o.ticks && left == o.left && brief == o.brief;
}

// What a change from one mode of a place that touches to another sets; twice at one instant is as good as once.
void Decision::change(std::size_t i) {
  const Place& p = sys.places[i];
  double* x = state->base_x.data();
  const int was = before.friction[i].direction(), is = state->modes.friction[i].direction();
  const double lagged = p.lagged >= 0 ? x[p.lagged] : 0.0;
  change_mode(p, was, is, v(i), load(i), t, x);
  if (held_by_lag(p, before, i) == is && is != 0) x[p.lagged] = lagged; // it goes on from there
}

// The automaton's states: the table is in automaton_states.hpp.
void Decision::enter_modes(bool start) {
  double* x = state->base_x.data();
  for (std::size_t i = 0; i < n; ++i) { // bristles and the surface of a contact that opens are let go
    const Place& p = sys.places[i];
    if (!state->modes.friction[i].open()) continue;
    for (Index k = 0; k < p.traits.states; ++k) x[p.states + k] = 0.0;
    if (p.surface_travel >= 0) x[p.surface_travel] = 0.0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Place& p = sys.places[i];
    if (!set_valued(i) || p.automaton == Automaton{}) continue;
    const FrictionMode &was = before.friction[i], &is = state->modes.friction[i];
    if (is.open()) continue;
    if (start || was.open())
      start_in_mode(p, is.direction(), v(i), load(i), t, x);
    else if (was.mode != is.mode)
      change(i);
    if (presliding(i) && was.mode != is.mode) state->modes.friction[i].hold = Hold::by_limit;
  }
}

void Decision::run(State& st, const std::vector<Guard>& fired, bool start, TransitionLog& record_in) {
  state = &st;
  log = &record_in;
  t = state->base_t;
  before = state->modes;
  starting = start;
  shared = ambiguous = unsolved = mixed_laws = gains = false;
  solutions = 1;
  impulses.clear();
  dir.assign(n, 0);
  signal_values(sys, t, sig.data());
  const LinearPart& linear = cache.linear(sys, state->modes.limit);
  terms.noalias() = linear.A.cwiseAbs().lazyProduct(state->base_x.cwiseAbs());
  terms.noalias() += linear.S.cwiseAbs().lazyProduct(sig.cwiseAbs());
  normal.setZero();
  if (any_load_contact && !start) {
    xdot.setZero(sys.nx);
    evaluate(sys, cache.get(sys, before), t, state->base_x.data(), sig.data(), xdot.data(), force.data(), w);
    normal = force.tail(normal.size());
  }
  switches(fired, start);
  for (int round = 0; round < 2; ++round) {
    find_candidates(fired, start);
    if (unsolved) {
      log->status = TransitionStatus::undecided;
      break;
    }
    sides_of_kinks(start);
    rests.assign(n, false);
    find_resting(fired, start);
    carry_presliding(start);
    project();
    if (decide(fired)) break;
    // No answer: where a contact slides the velocities can jump without a collision (Painleve); then look
    // once more.
    std::vector<Index> touching;
    bool slides = false;
    for (std::size_t j = 0; j < candidate.size(); ++j)
      if (candidate[j]) {
        touching.push_back(static_cast<Index>(j));
        const Index place = sys.contacts[j].place;
        slides = slides || (place >= 0 && !rests[static_cast<std::size_t>(place)]);
      }
    if (round == 0 && slides) strike(touching, false);
    if (round > 0 || !slides || impulses.empty()) {
      log->status = TransitionStatus::undecided;
      break;
    }
  }
  for (const Guard& g : fired) // reached its limit, but would slip the wrong way
    if (g.kind == GuardKind::breaks_away) {
      const auto i = static_cast<std::size_t>(g.friction);
      if (!presliding(i) && state->modes.friction[i].sticks() && sys.places[i].traits.switches == 0)
        count_towards_rest(i);
    }
  for (std::size_t i = 0; i < n; ++i) // also one that came to rest and goes on at once
    if (!state->modes.friction[i].sticks() && (rests[i] || before.friction[i].sticks()))
      state->left(static_cast<Index>(i)) = t;
  for (std::size_t i = 0; i < n; ++i) { // elements of a law that also sticks begin anew with each rest
    if (!set_valued(i) || presliding(i)) continue;
    const Place& p = sys.places[i];
    const bool rest = state->modes.friction[i].sticks(),
               changed = state->modes.friction[i].mode != before.friction[i].mode;
    const bool firm = state->modes.friction[i].hold == Hold::firmly;
    const bool keeps = rest && (firm || held_by_lag(p, state->modes, i) != 0);
    if (rest && changed && firm) rule = "accumulation";
    if (changed ? !keeps : !rest && firm)
      state->modes.friction[i].enter(state->modes.friction[i].mode, initial_branch(p.law));
  }
  enter_modes(start);
  record(fired, start);
  state->after_transition = true;
}

Transition::Transition(const System& s, RegimeCache& c)
    : sys(s), cache(c), decision(std::make_unique<Decision>(s, c)) {}

Transition::~Transition() = default;

void Transition::decide(State& state, const std::vector<Guard>& fired, bool start, TransitionLog& log) {
  // No force changes when the velocity of a bristle passes zero or an element of it lets go, so nothing else
  // has to be decided.
  if (!fired.empty() && std::all_of(fired.begin(), fired.end(), [](const Guard& g) {
        return g.kind == GuardKind::kink || g.kind == GuardKind::branch;
      })) {
    for (const Guard& g : fired) switch_flow(sys, state.modes, g);
    state.after_transition = true;
    return;
  }
  if (sys.limits == 0) return decision->run(state, fired, start, log);
  Saturations limits(sys, cache, state);
  limits.decide(fired, start);
  decision->run(state, fired, start, log);
  for (int round = 0; round < 3 && limits.review(); ++round) decision->run(state, {}, false, log);
  if (!start) limits.record(log);
}

} // namespace stickslip
