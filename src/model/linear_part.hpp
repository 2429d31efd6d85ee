// The linear part of a machine with its springs and controllers folded in, for one combination of their modes:
// x' = A x + S s + sum_i e_i F_i.
#pragma once

#include "core/list.hpp"
#include "model/switch_modes.hpp"
#include "model/system.hpp"

namespace stickslip {

// Mode change of a limited output: form + force . F rises through zero. F are the forces of the friction elements, then
// the normal forces of the contacts; they enter the rate of an output that measures a velocity.
struct SaturationGuard {
  Index loop = 0, output = 0;
  BlockGuard limit;
  Form form;
  Vector force;
};

// Mode change of a flank (next segment, release or renewed contact): form rises through zero.
struct FlankGuard {
  Index flank = 0;
  FlankMode next;
  Form form;
};

struct LinearPart {
  Matrix A, S;
  List<List<Form>> inputs,
      outputs;                     // of each loop; for sampled loops the values that they would sample
  List<List<FewTerms>> sampled;    // inputs of sampled loops, as short forms
  List<Form> references, measured; // displayed signals of each loop; zero if there is none
  List<SaturationGuard> guards;
  List<FlankGuard> flank_guards;
};

LinearPart linear_part(const System& sys, const SwitchModes& modes);

// Modes at zero coordinates and signals, with controllers within their limits.
SwitchModes modes_at_zero(const System& sys);

// A flank's force in this mode: slope x + offset + damping x'.
struct FlankForce {
  double slope = 0.0, offset = 0.0, damping = 0.0;
};
FlankForce force_of(const System& sys, Index flank, const FlankMode& mode);

} // namespace stickslip
