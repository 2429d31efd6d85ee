// Signals of controllers at one instant: outputs, references, errors and power.
#pragma once

#include "dynamics/regime.hpp"
#include "run/rows.hpp"

namespace stickslip {

// Signals of all loops; rows of outputs and modes are the outputs of all loops one after the other.
struct LoopSamples {
  Rows output, reference, error;
  ModeRows mode;

  LoopSamples(const System& sys, Index times);
  void set(const System& sys, const Regime& regime, const double* x, const double* s, Index column);
};

// Power that a controller puts into the plant.
double power(const System& sys, const Regime& regime, Index loop, const double* x, const double* s);

} // namespace stickslip
