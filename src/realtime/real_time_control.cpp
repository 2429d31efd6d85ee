// Limits of controllers in the fixed-step form.
#include "core/list.hpp"
#include "realtime/real_time.hpp"
#include "transition/outputs.hpp"

namespace stickslip {

void RealTime::put_out_within(double now_at) noexcept {
  const bool changed = sampled->put_out(ticks, now_at, a.x);
  have_values = false;
  if (changed && sys.saturations > 0) saturations_anew();
}

// Inputs of limits at `a`, with rates if a limit depends on them.
void RealTime::prepare_saturations() noexcept {
  if (plan->follows) settle_following(a);
  if (!clamps) return;
  if (plan->quick && !have_values) forces_at_a();
  rates(a, 0.0, slopes.data());
  for (Index j = 0; j < moving.size(); ++j) slopes(sys.nx + j) = a.change[j] / h;
}

const SparseRow& RealTime::input_row(Index loop, Index k) const noexcept {
  return plan->inputs[loop][k];
}

void RealTime::choose(Index loop, Index output, const BlockGuard::Trigger* fired) noexcept {
  Saturation& mode = now.saturation[sys.loops[loop].saturation + output];
  mode = next_saturation(
      sys, loop, output, mode, fired, a.x, [&](Index of, Index k) { return input_row(of, k)(a.x); },
      [&](Index of, Index k) { return clamps ? input_row(of, k).linear(slopes.data()) : 0.0; },
      samples.data(), sample_rates.data());
}

void RealTime::saturation_fired(Index number) noexcept {
  const SaturationGuard& limit = plan->regime->linear->guards[number];
  const Loop& l = sys.loops[limit.loop];
  const auto k = limit.loop >= 0 ? l.saturation + limit.output : 0;
  if (now.saturation[k] != plan->regime->modes.saturation[k])
    return; // another guard of this output came first
  choose(limit.loop, limit.output, &limit.trigger);
}

// Decides all saturations anew after a jump of inputs.
void RealTime::saturations_anew() noexcept {
  prepare_saturations();
  const Modes& shown = plan->regime->modes;
  bool changed = false;
  for_each_limit(sys, [&](Index of, Index j) {
    choose(of, j, nullptr);
    const Index k = sys.loops[of].saturation + j;
    changed = changed || now.saturation[k] != shown.saturation[k];
  });
  if (!changed) return;
  plan = &plan_of(now);
  have_values = false;
  ++transitions;
}

void RealTime::settle_following(Point& p) noexcept {
  stickslip::settle_following(
      sys, now.saturation, p.x, [&](Index of, Index k) { return input_row(of, k)(p.x); }, samples.data());
}

} // namespace stickslip
