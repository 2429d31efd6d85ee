// The linear part of a machine with its controllers folded in, for one combination of their saturation modes:
// x' = A x + S s + sum_i e_i F_i.
#pragma once

#include "core/list.hpp"
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

struct LinearPart {
  Matrix A, S;
  List<List<Form>> inputs,
      outputs;                     // of each loop; inputs of sampled ones are what they would sample
  List<Form> references, measured; // of each loop, what is shown; zero where there is none
  List<SaturationGuard> guards;
};

// `limits`: the mode of each limited output.
LinearPart linear_part(const System& sys, const List<Saturation>& limits);

} // namespace stickslip
