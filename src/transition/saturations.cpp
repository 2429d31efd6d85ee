#include "transition/saturations.hpp"

#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "transition/mode_changes.hpp"
#include "transition/outputs.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

Index most_inputs(const System& sys) {
  Index most = 0;
  for (const Loop& l : sys.loops) most = std::max(most, l.inputs.size());
  return most;
}

bool is_following(Saturation m) {
  return m == Saturation::high_following || m == Saturation::low_following;
}

} // namespace

Mode mode_of(Saturation s) {
  const int side = static_cast<int>(s);
  return side == 0 ? Mode::free : side > 0 ? Mode::high : Mode::low;
}

Mode mode_of(const Block& block, Index output, double held) {
  return held >= block.hi(output) ? Mode::high : held <= block.lo(output) ? Mode::low : Mode::free;
}

void settle_following(const System& sys, RegimeCache& cache, State& state) {
  bool any = false;
  for (Saturation m : state.modes.saturation) any = any || is_following(m);
  if (!any) return;
  const LinearPart& part = cache.linear(sys, state.modes);
  Vector s(sys.ns());
  for (Index i = 0; i < sys.ns(); ++i) s(i) = value_before(sys.signals[i], state.base_t);
  Vector w(most_inputs(sys));
  const auto input = [&](Index b, Index k) {
    return value(part.inputs[b][k], state.base_x.data(), s.data());
  };
  settle_following(sys, state.modes.saturation, state.base_x.data(), input, w.data());
}

Saturations::Saturations(const System& system, RegimeCache& c, Scratch& shared, State& st)
    : sys(system), cache(c), scratch(shared), state(st), before(st.modes),
      x_before(st.modes.saturation.empty() ? Vector() : st.base_x) {}

void Saturations::choose(Index loop, Index output, const double* s, const double* sdot, const Vector& xdot,
                         const BlockGuard::Trigger* fired) {
  const auto& inputs = cache.linear(sys, state.modes).inputs[loop];
  const auto form = [&](Index k) -> const Form& { return inputs[k]; };
  Vector w(most_inputs(sys)), wdot = w;
  Saturation& mode = state.modes.saturation[sys.loops[loop].saturation + output];
  mode = next_saturation(
      sys, loop, output, mode, fired, state.base_x.data(),
      [&](Index, Index k) { return value(form(k), state.base_x.data(), s); },
      [&](Index, Index k) { return value(form(k), xdot.data(), sdot); }, w.data(), wdot.data());
}

void Saturations::choose_all(const List<Guard>& fired, bool start) {
  if (sys.saturations == 0) return;
  settle_following(sys, cache, state);
  const LinearPart& part = cache.linear(sys, state.modes);
  Vector s(sys.ns()), sdot(sys.ns()), xdot = Vector::Zero(sys.nx);
  signal_values(sys, state.base_t, s.data());
  signal_rates(sys, state.base_t, sdot.data());
  starting = start;
  if (start) { // friction modes and directions are not known yet:
               // review() uses accelerations
    xdot = part.A * state.base_x + part.S * s;
  } else {
    evaluate(sys, cache.get(sys, state.modes), state.base_t, state.base_x.data(), s.data(), xdot.data(),
             scratch.force.data(), scratch);
  }
  for_each_limit(sys, [&](Index b, Index j) {
    const BlockGuard::Trigger* trigger = nullptr;
    for (const Guard& g : fired)
      if (g.kind == GuardKind::saturation && !trigger) {
        const SaturationGuard& limit = part.guards[g.saturation];
        if (limit.loop == b && limit.output == j) trigger = &limit.trigger;
      }
    if (trigger || start || fired.empty()) choose(b, j, s.data(), sdot.data(), xdot, trigger);
  });
}

bool Saturations::review() {
  if (sys.saturations == 0) return false;
  bool rates = false;
  for (const Loop& l : sys.loops) rates = rates || (l.saturation >= 0 && l.block.needs_input_rates());
  const bool jumped = has_jumped(state, x_before);
  Modes others = state.modes;
  others.saturation = before.saturation;
  rates = rates && (starting || others != before); // else no acceleration has changed
  if (!rates && !jumped) return false;
  const Regime& r = cache.get(sys, state.modes);
  Vector s(sys.ns()), sdot(sys.ns()), xdot = Vector::Zero(sys.nx);
  signal_values(sys, state.base_t, s.data());
  signal_rates(sys, state.base_t, sdot.data());
  evaluate(sys, r, state.base_t, state.base_x.data(), s.data(), xdot.data(), scratch.force.data(), scratch);
  bool changed = false;
  for_each_limit(sys, [&](Index b, Index j) {
    const Loop& l = sys.loops[b];
    if (!jumped && !l.block.needs_input_rates()) return;
    const Saturation& mode = state.modes.saturation[l.saturation + j];
    const Mode old = mode_of(mode);
    choose(b, j, s.data(), sdot.data(), xdot, nullptr);
    changed = changed || old != mode_of(mode);
  });
  x_before = state.base_x;
  return changed && jumped;
}

} // namespace stickslip
