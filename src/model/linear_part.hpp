// The linear part of a machine with its springs and controllers folded in, for one combination of their modes:
// x' = A x + S s + sum_i e_i F_i.
#pragma once

#include "core/list.hpp"
#include "model/switch_modes.hpp"
#include "model/system.hpp"

namespace stickslip {

// When a limited output changes its mode: form + force . F rises through zero. F are the forces at the elements
// of friction, then the normal forces of the contacts; the rate of an output feels them where a velocity is
// measured.
struct SaturationGuard {
  Index loop = 0, output = 0;
  BlockGuard::Trigger trigger = BlockGuard::Trigger::returns;
  Form form;
  Vector force;
};

// When a flank changes its stretch, or its damper lets go or pushes again: form rises through zero.
struct FlankGuard {
  Index flank = 0;
  FlankMode next;
  Form form;
};

struct LinearPart {
  Matrix A, S;
  List<List<Form>> inputs,
      outputs;                     // of each loop; inputs of sampled ones are what they would sample
  List<List<FewTerms>> sampled;    // inputs of sampled loops once more
  List<Form> references, measured; // of each loop, what is shown; zero where there is none
  List<SaturationGuard> guards;
  List<FlankGuard> flank_guards;
};

LinearPart linear_part(const System& sys, const SwitchModes& modes);

// Controllers off their limits; springs where all coordinates and signals are zero.
SwitchModes modes_at_zero(const System& sys);

// A flank's force in this mode: slope x + offset + damping x'.
struct FlankForce {
  double slope = 0.0, offset = 0.0, damping = 0.0;
};
FlankForce force_of(const System& sys, Index flank, const FlankMode& mode);

} // namespace stickslip
