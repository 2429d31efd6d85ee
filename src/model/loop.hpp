// Controllers wired into a machine: inputs, points of action, and places of their states.
#pragma once

#include "control/block.hpp"
#include "core/list.hpp"
#include "model/form.hpp"

#include <string>

namespace stickslip {

// One term of an input: output `output` of loop `loop`, or its rate.
struct OutputTerm {
  Index loop = 0, output = 0;
  int order = 0;
  double factor = 1.0;
};

// One input of a block. `rate` is the derivative of `fixed`, and exists if no force acts on it directly.
struct Input {
  Form fixed;
  Form rate;
  bool has_rate = false;
  List<OutputTerm> outputs;
};

// A block in a machine. Continuous states and held outputs of sampled blocks are entries of x; the memory of a sampled
// block belongs to the state of a run.
struct Loop {
  std::string name;
  Block block;
  List<Input> inputs;        // one per input of the block
  Input reference, measured; // displayed as `.reference` and `.error`; without terms: not displayed
  bool has_reference = false, has_measured = false;
  List<Vector> effect;    // of each output: change of x' per unit
  List<Vector> direction; // of each output: generalised force per unit; empty: none
  Index states = -1;      // first continuous state in x
  Index held = -1;        // first held output in x
  Index saturation = -1;  // first saturation mode of a continuous block with limits
  Index memory = -1;      // first entry of a sampled block's memory
};

} // namespace stickslip
