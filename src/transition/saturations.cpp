#include "transition/saturations.hpp"

#include "control/saturation_rules.hpp"
#include "core/list.hpp"
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

Saturations::Saturations(const System& system, RegimeCache& c, State& st, MotionAfter& after)
    : sys(system), cache(c), state(st), motion(after), before(st.modes), x_before(st.base_x) {
  for_each_limit(sys, [&](Index loop, Index output) { limits.push_back({loop, output}); });
}

bool Saturations::any_open() const {
  return std::any_of(limits.begin(), limits.end(), [](const Limit& at) { return at.open; });
}

// The row is that of the quantity at this limit. Where the rate of a raw output on its limit is zero, so is its excess.
SignAfter Saturations::sign_of(const Limit& at, const BlockRow& row, LimitQuantity quantity, int side) const {
  const Loop& loop = sys.loops[at.loop];
  const auto& inputs = cache.linear(sys, state.modes).inputs[at.loop];
  int zeros = 0;
  if (at.zero && side == at.side) {
    if (*at.zero == quantity)
      zeros = 1;
    else if (quantity == LimitQuantity::excess && *at.zero != LimitQuantity::integral_rate)
      zeros = 2;
  }
  double size = std::abs(row.offset);
  for (Index i = 0; i < row.z.size(); ++i) size += std::abs(row.z(i)) * state.nominal(loop.states + i);
  for (Index k = 0; k < inputs.size(); ++k)
    if (row.w(k) != 0.0 || row.wdot(k) != 0.0)
      size += (std::abs(row.w(k)) + std::abs(row.wdot(k)) / motion.time_scale()) * motion.size(inputs[k]);
  const auto term = [&](int order) {
    double sum = order == 0 ? row.offset : 0.0;
    for (Index i = 0; i < row.z.size(); ++i)
      if (row.z(i) != 0.0) sum += row.z(i) * motion.state_term(loop.states + i, order);
    for (Index k = 0; k < inputs.size(); ++k) {
      if (row.w(k) != 0.0) sum += row.w(k) * motion.term(inputs[k], order);
      if (row.wdot(k) != 0.0) sum += row.wdot(k) * (order + 1) * motion.term(inputs[k], order + 1);
    }
    return sum;
  };
  return motion.sign(term, size, zeros, series_terms - 1);
}

void Saturations::choose(const Limit& at) {
  const Block& block = sys.loops[at.loop].block;
  const auto sign = [&](LimitQuantity quantity, int side) {
    const SignAfter after = sign_of(at, row_of(block, at.output, quantity, side), quantity, side);
    return quantity == LimitQuantity::excess && after.order > 0 ? 0 : after.sign;
  };
  Saturation& now = mode(at);
  now = at.trigger ? stickslip::after(block, now, *at.trigger, sign) : mode_anew(block, at.output, now, sign);
}

void Saturations::choose(const List<Guard>& fired, bool start) {
  if (limits.empty()) return;
  starting = start;
  const LinearPart& part = cache.linear(sys, state.modes);
  for (Limit& at : limits) {
    at.open = start || fired.empty();
    for (const Guard& g : fired) {
      if (g.kind != GuardKind::saturation || at.trigger) continue;
      const SaturationGuard& from = part.guards[g.saturation];
      if (from.loop != at.loop || from.output != at.output) continue;
      at.open = true, at.trigger = from.limit.trigger, at.zero = from.limit.quantity,
      at.side = from.limit.side;
    }
  }
  if (!any_open()) return;
  motion.expand(!start);
  for (const Limit& at : limits)
    if (at.open) choose(at);
}

bool Saturations::review() {
  if (limits.empty()) return false;
  const bool jumped = has_jumped(state, x_before);
  Modes others = state.modes;
  others.saturation = before.saturation;
  if (!jumped && !(any_open() && (starting || others != before))) return false;
  motion.expand(true);
  bool changed = false;
  for (Limit& at : limits) {
    if (jumped) at.open = true, at.zero.reset();
    if (!at.open) continue;
    at.trigger.reset();
    const Mode old = mode_of(mode(at));
    choose(at);
    changed = changed || old != mode_of(mode(at));
  }
  x_before = state.base_x;
  return changed;
}

std::optional<SignAfter> Saturations::sign_of(const SaturationGuard& guard) const {
  const auto at = std::find_if(limits.begin(), limits.end(), [&](const Limit& one) {
    return one.loop == guard.loop && one.output == guard.output;
  });
  if (!at->open) return {};
  return sign_of(*at, guard.limit, guard.limit.quantity, guard.limit.side);
}

} // namespace stickslip
