// Controllers at one instant, for any source of inputs: runs take inputs from forms, the real-time form from sparse
// rows. value(loop, k) and rate(loop, k) give the k-th input.
#pragma once

#include "core/list.hpp"
#include "dynamics/modes.hpp"
#include "model/system.hpp"

#include <cmath>

namespace stickslip {

// Sampled: reads its inputs at its sampling instant t and computes its outputs.
template <class Value>
void compute(const System& sys, Index loop, double t, Value&& value, double* inputs, double* memory,
             double* work, double* output) {
  const Loop& l = sys.loops[loop];
  for (Index k = 0; k < l.inputs.size(); ++k) inputs[k] = value(loop, k);
  update_sampled(l.block, t, inputs, memory + l.memory, work, output);
}

// Computed outputs take effect and are held from here on. True if one of them changed.
inline bool put_out(const Loop& l, const double* output, double* x) {
  bool changed = false;
  for (Index j = 0; j < l.block.outputs(); ++j) {
    changed = changed || x[l.held + j] != output[j];
    x[l.held + j] = output[j];
  }
  return changed;
}

// use(loop, output) for every output of a continuous controller that has a limit, in the order of dataflow.
template <class Use> void for_each_limit(const System& sys, Use&& use) {
  for (const Index b : sys.loop_order) {
    const Loop& l = sys.loops[b];
    if (l.saturation < 0) continue;
    for (Index j = 0; j < l.block.outputs(); ++j)
      if (std::isfinite(l.block.lo(j)) || std::isfinite(l.block.hi(j))) use(b, j);
  }
}

// Next saturation mode: after the trigger that fired, or (null) anew, since inputs have jumped.
template <class Value, class Rate>
Saturation next_saturation(const System& sys, Index loop, Index output, Saturation now,
                           const BlockGuard::Trigger* fired, const double* x, Value&& value, Rate&& rate,
                           double* inputs, double* rates) {
  const Loop& l = sys.loops[loop];
  for (Index k = 0; k < l.inputs.size(); ++k) inputs[k] = value(loop, k), rates[k] = rate(loop, k);
  const BlockInputs in{inputs, rates};
  const double* z = l.states >= 0 ? x + l.states : nullptr;
  return fired != nullptr ? after(l.block, output, now, *fired, z, in)
                          : mode_anew(l.block, output, now, z, in);
}

// The integral of every output that follows its limit.
template <class Value>
void settle_following(const System& sys, const List<Saturation>& limit, double* x, Value&& value,
                      double* inputs) {
  for (const Index b : sys.loop_order) {
    const Loop& l = sys.loops[b];
    if (l.saturation < 0) continue;
    for (Index k = 0; k < l.inputs.size(); ++k) inputs[k] = value(b, k);
    for (Index j = 0; j < l.block.outputs(); ++j)
      settle(l.block, j, limit[l.saturation + j], inputs, x + l.states);
  }
}

} // namespace stickslip
