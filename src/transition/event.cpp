#include "transition/event.hpp"

#include "core/list.hpp"
#include "dynamics/regime.hpp"
#include "model/relay_form.hpp"
#include "transition/saturations.hpp"
#include "transition/springs.hpp"

#include <algorithm>

namespace stickslip {

const char* name(Rule rule) {
  switch (rule) {
  case Rule::unique:
    return "unique";
  case Rule::static_to_kinetic:
    return "static to kinetic";
  case Rule::present_mode:
    return "present mode";
  case Rule::fewest_changes:
    return "fewest changes";
  case Rule::least_constraint:
    return "least constraint";
  case Rule::ambiguous:
    return "ambiguous";
  case Rule::accumulation:
    return "accumulation";
  case Rule::none:
    return "none";
  }
  return "";
}

Mode friction_mode(const System& sys, const Modes& modes, Index i) {
  const FrictionMode& now = modes.friction[i];
  if (is_relay(sys.friction[i]))
    return now.sticks() ? Mode::free : now.direction() > 0 ? Mode::high : Mode::low;
  if (sys.friction[i].has_seat())
    return now.sticks() ? Mode::locked : now.direction() > 0 ? Mode::high : Mode::low;
  return now.free ? Mode::free : now.mode;
}

Mode contact_mode(const System& sys, const Modes& modes, Index j) {
  if (sys.contacts[j].of_velocity) return modes.contact[j] == Mode::open ? Mode::free : Mode::locked;
  if (modes.contact[j] == Mode::open) return Mode::open;
  const Index element = sys.contacts[j].friction;
  return element < 0 ? Mode::closed : modes.friction[element].mode;
}

namespace {

// Name of the element of a guard; empty for a guard of several elements.
std::string owner(const System& sys, const Guard& g) {
  return g.friction >= 0  ? sys.friction[g.friction].name
         : g.contact >= 0 ? sys.contacts[g.contact].name
         : g.flank >= 0   ? sys.springs[sys.flanks[g.flank].spring].name
                          : std::string();
}

// Cause in words; empty for guards that change the flow alone, and those of a partner.
std::string words(const System& sys, const Guard& g, const Event& e) {
  if (g.friction >= 0 && sys.friction[g.friction].partner >= 0) return {};
  std::string says = e.strikes && g.kind == GuardKind::closes ? " hits" : g.traits().says;
  if (g.friction >= 0 && is_relay(sys.friction[g.friction]))
    says = g.kind == GuardKind::breaks_away                   ? " stops sliding"
           : g.friction == e.element && e.after == Mode::free ? " slides"
                                                              : " switches";
  return says.empty() ? says : owner(sys, g) + says;
}

// Cause of a limit: the behaviour of the output, unless its inputs have jumped.
std::string cause_of_limit(const System& sys, Index loop, const Event& e) {
  const Loop& l = sys.loops[loop];
  const auto of_saturation = [](const Guard& g) { return g.kind == GuardKind::saturation; };
  const bool fired = of_saturation(e.fired) || std::any_of(e.also.begin(), e.also.end(), of_saturation);
  if (l.block.continuous() && !fired) return "jump of an input";
  return l.name + (e.after == Mode::high  ? " reaches its upper limit"
                   : e.after == Mode::low ? " reaches its lower limit"
                                          : " returns from its limit");
}

} // namespace

std::string cause_of(const System& sys, const Event& e) {
  if (e.occasion == Occasion::step) return "step";
  const Index loop = e.element - element_of_loop(sys, 0);
  if (loop >= 0 && loop < sys.loops.size()) return cause_of_limit(sys, loop, e);
  const Index contact = e.element - sys.friction.size();
  if (e.fired.kind == GuardKind::condition && contact >= 0 && contact < sys.contacts.size() &&
      sys.contacts[contact].yields())
    return sys.contacts[contact].name + (e.after == Mode::open    ? " loses its force"
                                         : e.before == Mode::open ? " touches"
                                         : e.after == Mode::stick ? " stops sliding"
                                                                  : " breaks away");
  std::string all = e.occasion == Occasion::start     ? "start"
                    : e.fired.kind == GuardKind::none ? "breakpoint of a signal"
                                                      : "";
  const auto add = [&](const Guard& g) {
    const std::string one = words(sys, g, e);
    if (!one.empty()) all += (all.empty() ? "" : ", ") + one;
  };
  add(e.fired);
  for (const Guard& g : e.also) add(g);
  if (e.impact && !e.collision) all += ", impact without collision";
  if (e.impact && e.poisson_instead)
    all += ", Newton's law has no answer: Poisson's";
  else if (e.impact && e.mixed_laws)
    all += ", laws of impact differ: Newton's";
  return all;
}

bool told_alike(const Event& a, const Event& b) {
  return a.occasion == b.occasion && a.fired == b.fired && a.also == b.also && a.after == b.after &&
         a.strikes == b.strikes && a.impact == b.impact && a.collision == b.collision &&
         a.mixed_laws == b.mixed_laws && a.poisson_instead == b.poisson_instead;
}

bool decided_alike(const Event& a, const Event& b) {
  return a.rule == b.rule && a.force_shared == b.force_shared && a.energy_gained == b.energy_gained &&
         a.sum == b.sum && a.impacts_before == b.impacts_before;
}

std::string rule_of(const Event& e) {
  const std::string before = " after " + std::to_string(e.impacts_before) + " impacts";
  const std::string sum = e.sum == Sum::collapse   ? ", inelastic collapse" + before
                          : e.sum == Sum::repeated ? ", sum of repeated impacts" + before
                                                   : "";
  return std::string(name(e.rule)) + sum + (e.energy_gained ? ", energy gained" : "") +
         (e.force_shared ? ", force shared" : "");
}

namespace {

struct EventBuilder {
  const System& sys;
  const Jump& jump;
  std::int64_t& instant;
  List<Event>& events;
  Index first = events.size();

  Event& add(Index element, Mode before, Mode after) {
    if (events.size() == first) ++instant;
    Event& e = events.emplace_back();
    e.time = jump.t;
    e.instant = instant;
    e.element = element;
    e.before = before;
    e.after = after;
    e.occasion = jump.occasion;
    if (!jump.fired.empty()) e.fired = jump.fired.front();
    if (jump.fired.size() > 1) e.also.assign(jump.fired.begin() + 1, jump.fired.end());
    return e;
  }

  // An output follows from its inputs, so there is one answer.
  void output(Index loop, Mode before, Mode after) {
    if (before != after) add(element_of_loop(sys, loop), before, after).solutions = 1;
  }

  void mechanics(Index element, Mode before, Mode after, const Impulse* impulse) {
    if (before == after && impulse == nullptr) return;
    Event& e = change(element, before, after);
    if (impulse == nullptr) return;
    e.impact = true;
    e.collision = impulse->collision;
    e.normal_impulse = impulse->normal;
    e.tangential_impulse = impulse->tangential;
    e.loss = impulse->loss;
    e.wall_work = impulse->wall_work;
    e.sum = impulse->sum;
    if (e.sum != Sum::one) e.impacts_before = impulse->impact;
  }

  Event& change(Index element, Mode before, Mode after) {
    Event& e = add(element, before, after);
    e.rule = jump.rule;
    e.ambiguous = jump.ambiguous;
    e.energy_gained = jump.gains;
    e.strikes = !jump.impulses.empty();
    e.mixed_laws = jump.mixed_laws;
    e.poisson_instead = jump.poisson_instead;
    e.force_shared = jump.shared || std::any_of(jump.fired.begin(), jump.fired.end(), [](const Guard& g) {
                       return g.kind == GuardKind::shared_limit;
                     });
    e.solutions = e.force_shared ? -1 : jump.solutions;
    return e;
  }

  void sampled_outputs() {
    for (const Index b : sys.loop_order) {
      const Loop& l = sys.loops[b];
      if (l.block.continuous()) continue;
      for (Index j = 0; j < l.block.outputs(); ++j)
        output(b, mode_of(l.block, j, jump.x_before(l.held + j)),
               mode_of(l.block, j, jump.x_after(l.held + j)));
    }
  }

  void limits() {
    for (Index b = 0; b < sys.loops.size(); ++b) {
      const Loop& l = sys.loops[b];
      if (l.saturation < 0) continue;
      for (Index j = 0; j < l.block.outputs(); ++j) {
        const Index k = l.saturation + j;
        output(b, mode_of(jump.before.saturation[k]), mode_of(jump.after.saturation[k]));
      }
    }
  }

  // Modes of springs follow from the motion.
  void springs() {
    for (Index k = 0; k < sys.springs.size(); ++k) {
      const Mode before = mode_of(sys, sys.springs[k], jump.before),
                 after = mode_of(sys, sys.springs[k], jump.after);
      if (before != after) add(element_of_spring(sys, k), before, after).solutions = 1;
    }
  }

  // Friction elements, in the directions of contacts with their tangential impulses.
  void friction(Index impact) {
    const bool last = impact >= jump.impacts - 1;
    const auto rubs = Jump::of_impact(jump.rubs, impact);
    for (Index i = 0; i < sys.friction.size(); ++i) {
      const Friction& p = sys.friction[i];
      if (!p.traits.sticks || sys.shares_modes(i) || p.of_compliance) continue;
      const Mode before = friction_mode(sys, jump.before, i),
                 after = last ? friction_mode(sys, jump.after, i) : before;
      Event* of_rub = nullptr; // the impact itself belongs to the contact
      for (const Rub& rub : rubs) {
        if (rub.element != i && sys.friction[rub.element].partner != i) continue;
        if (of_rub == nullptr) of_rub = &change(i, before, after), of_rub->tangential_impulse = 0.0;
        of_rub->tangential_impulse += rub.tangential;
      }
      if (of_rub == nullptr) mechanics(i, before, after, nullptr);
    }
  }

  // Contacts between two impacts of one instant are open, unless they stay closed.
  void contacts(Index impact) {
    const bool last = impact >= jump.impacts - 1;
    const auto impulses = Jump::of_impact(jump.impulses, impact);
    for (Index j = 0; j < sys.contacts.size(); ++j) {
      const auto one = std::ranges::find(impulses, j, &Impulse::contact);
      const Mode before = contact_mode(sys, jump.before, j);
      const bool struck = one != impulses.end() && !(holds_constraint(sys, j) && one->normal == 0.0);
      mechanics(sys.friction.size() + j, before, last ? contact_mode(sys, jump.after, j) : before,
                struck ? &*one : nullptr);
    }
  }

  // Impacts in succession, each an instant of its own in the log.
  void all_mechanics() {
    for (Index k = 0; k < std::max<Index>(jump.impacts, 1); ++k) {
      if (k > 0) first = events.size();
      friction(k);
      contacts(k);
    }
  }
};

} // namespace

// The modes found at the start are the first ones, so the start changes none. An impact of the initial velocities is a
// change.
void append_events(const System& sys, const Jump& jump, std::int64_t& instant, List<Event>& events) {
  EventBuilder build{sys, jump, instant, events};
  if (jump.occasion == Occasion::flow) return;
  if (jump.occasion == Occasion::start) {
    if (jump.impulses.empty()) return;
    return build.all_mechanics();
  }
  if (jump.sampled) build.sampled_outputs();
  if (jump.quiet) return; // no other change
  build.springs();
  build.all_mechanics();
  if (sys.saturations > 0) build.limits();
}

} // namespace stickslip
