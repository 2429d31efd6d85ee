#include "realtime/controller_limits.hpp"

#include "transition/outputs.hpp"

#include <algorithm>

namespace stickslip {

ControllerLimits::ControllerLimits(const System& system, PlannedModes& planned, BaseStep& base)
    : sys(system), modes(planned), step(base) {
  Index most = 1;
  for (const Loop& l : sys.loops) {
    most = std::max(most, l.inputs.size());
    needs_rates = needs_rates || (l.saturation >= 0 && l.block.needs_input_rates());
  }
  inputs = input_rates = Vector::Zero(most);
}

void ControllerLimits::prepare() noexcept {
  settle();
  if (needs_rates) rates = step.rates_at_start().data();
}

void ControllerLimits::choose(Index loop, Index output, const BlockGuard::Trigger* fired) noexcept {
  const auto& rows = modes.plan->inputs;
  const double* const x = step.a.x;
  Saturation& mode = modes.now.saturation[sys.loops[loop].saturation + output];
  mode = next_saturation(
      sys, loop, output, mode, fired, x, [&](Index of, Index k) { return rows[of][k](x); },
      [&](Index of, Index k) { return needs_rates ? rows[of][k].linear(rates) : 0.0; }, inputs.data(),
      input_rates.data());
}

void ControllerLimits::fire(const Guard& g) noexcept {
  const SaturationGuard& fired = modes.plan->regime->linear->guards[g.saturation];
  const Index k = sys.loops[fired.loop].saturation + fired.output;
  if (modes.now.saturation[k] != modes.plan->regime->modes.saturation[k])
    return; // another guard of this output came first
  choose(fired.loop, fired.output, &fired.limit.trigger);
}

bool ControllerLimits::choose_anew() noexcept {
  if (sys.saturations == 0) return false;
  prepare();
  for_each_limit(sys, [&](Index of, Index j) { choose(of, j, nullptr); });
  return modes.now.saturation != modes.plan->regime->modes.saturation;
}

void ControllerLimits::settle_integrals() noexcept {
  settle_following(
      sys, modes.now.saturation, step.a.x,
      [&](Index of, Index k) { return modes.plan->inputs[of][k](step.a.x); }, inputs.data());
}

} // namespace stickslip
