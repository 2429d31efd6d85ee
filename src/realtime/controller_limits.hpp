// Limits of continuous controllers, whose saturation modes are part of the machine's modes.
#pragma once

#include "realtime/base_step.hpp"

namespace stickslip {

class ControllerLimits {
public:
  ControllerLimits(const System& sys, PlannedModes& modes, BaseStep& step);

  // Inputs of limits at the start of the base step, before fire().
  void prepare() noexcept;
  void fire(const Guard& g) noexcept;
  // All of them anew, after a jump of inputs. True if modes changed.
  bool choose_anew() noexcept;
  // Integrals of outputs that follow their limits.
  void settle() noexcept {
    if (modes.plan->follows) settle_integrals();
  }

private:
  const System& sys;
  PlannedModes& modes;
  BaseStep& step;
  Vector inputs, input_rates;
  const double* rates = nullptr; // of (x, moving signals); null if no limit depends on them
  bool needs_rates = false;

  void settle_integrals() noexcept;
  void choose(Index loop, Index output, const BlockGuard::Trigger* fired) noexcept;
};

} // namespace stickslip
