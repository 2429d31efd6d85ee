// What a decision changed, as events.
#include "transition/decision.hpp"

#include <algorithm>

namespace stickslip {

Mode contact_mode(const System& sys, const Modes& modes, std::size_t j) {
  if (modes.contact[j] == Mode::open) return Mode::open;
  const Index place = sys.contacts[j].place;
  return place < 0 ? Mode::closed : modes.friction[place].mode;
}

static std::string cause_of(const System& sys, const Guard& g, bool struck) {
  switch (g.kind) {
  case GuardKind::slip_ends:
    return sys.places[g.friction].name + " stops";
  case GuardKind::breaks_away:
  case GuardKind::surface_turns:
    return sys.places[g.friction].name + " breaks away";
  case GuardKind::shared_limit:
    return "shared limit";
  case GuardKind::opens:
    return sys.contacts[g.contact].name + " loses its force";
  case GuardKind::closes:
    return sys.contacts[g.contact].name + (struck ? " strikes" : " touches");
  default:
    return {};
  }
}

std::string cause_of(const System& sys, const Event& e) {
  return e.fired.kind == GuardKind::none ? e.text : cause_of(sys, e.fired, e.impact);
}

std::string rule_of(const Event& e) {
  return std::string(e.rule) + (e.energy_gained ? ", energy gained" : "") +
         (e.force_shared ? ", force shared" : "");
}

void Decision::record(const std::vector<Guard>& fired, bool start) {
  if (start && impulses.empty()) return;
  const bool single = fired.size() == 1 && impulses.empty() &&
                      (fired[0].kind == GuardKind::slip_ends || fired[0].kind == GuardKind::breaks_away);
  std::string what = start ? "start" : fired.empty() ? "kink of a signal" : "";
  if (!single)
    for (const Guard& g : fired) {
      const std::string one = cause_of(sys, g, !impulses.empty());
      if (!one.empty()) what += (what.empty() ? "" : ", ") + one;
    }
  bool any = !log->events.empty(); // an output that reached its limit, or a first round
  auto note = [&](Index element, Mode was, Mode is, const Impulse* impulse) {
    if (!any) ++state->instant;
    any = true;
    Event e;
    e.time = t;
    e.instant = state->instant;
    e.element = element;
    e.before = was;
    e.after = is;
    if (single)
      e.fired = fired[0];
    else
      e.text = what;
    if (impulse && !impulse->collision) e.text += ", impact without collision";
    if (impulse && mixed_laws) e.text += ", laws of impact differ: Newton's";
    e.energy_gained = gains;
    const bool together = shared || std::any_of(fired.begin(), fired.end(), [](const Guard& g) {
                            return g.kind == GuardKind::shared_limit;
                          });
    e.rule = rule;
    e.force_shared = together;
    e.solutions = together ? -1 : solutions;
    e.ambiguous = ambiguous;
    if (impulse) {
      e.impact = true;
      e.normal_impulse = impulse->normal;
      e.tangential_impulse = impulse->tangential;
      e.loss = impulse->loss;
      e.wall_work = impulse->wall_work;
    }
    log->events.push_back(std::move(e));
  };
  for (std::size_t i = 0; i < n; ++i)
    if (set_valued(i) && !contact_friction(i) && state->modes.friction[i].mode != before.friction[i].mode)
      note(static_cast<Index>(i), before.friction[i].mode, state->modes.friction[i].mode, nullptr);
  for (std::size_t j = 0; j < sys.contacts.size(); ++j) {
    const Impulse* impulse = nullptr;
    for (const Impulse& one : impulses)
      if (one.contact == static_cast<Index>(j)) impulse = &one;
    const Mode was = contact_mode(sys, before, j), is = contact_mode(sys, state->modes, j);
    if (was != is || impulse) note(static_cast<Index>(n + j), was, is, impulse);
  }
}

} // namespace stickslip
