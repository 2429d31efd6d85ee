#include "run/loop_signals.hpp"

#include "transition/saturations.hpp"

namespace stickslip {

LoopSamples::LoopSamples(const System& sys, Index times) {
  Index outputs = 0;
  for (const Loop& l : sys.loops) outputs += l.block.outputs();
  const auto n = sys.loops.size();
  output.resize(outputs, times);
  mode.resize(outputs, times);
  reference.resize(n, times);
  error.resize(n, times);
}

void LoopSamples::set(const System& sys, const Regime& r, const double* x, const double* s, Index column) {
  Index row = 0;
  for (Index b = 0; b < sys.loops.size(); ++b) {
    const Loop& l = sys.loops[b];
    reference(b, column) = value(r.linear->references[b], x, s);
    error(b, column) = reference(b, column) - value(r.linear->measured[b], x, s);
    for (Index j = 0; j < l.block.outputs(); ++j, ++row) {
      const double u = value(r.linear->outputs[b][j], x, s);
      output(row, column) = u;
      const Mode m =
          l.saturation >= 0 ? mode_of(r.modes.saturation[l.saturation + j]) : mode_of(l.block, j, u);
      mode(row, column) = static_cast<std::int8_t>(m);
    }
  }
}

double power(const System& sys, const Regime& r, Index loop, const double* x, const double* s) {
  const auto b = loop;
  const Loop& l = sys.loops[b];
  const Index n = sys.n_coordinates;
  double p = 0.0;
  for (Index j = 0; j < l.direction.size(); ++j)
    if (l.direction[j].size() == n && n > 0)
      p += value(r.linear->outputs[b][j], x, s) * l.direction[j].dot(Eigen::Map<const Vector>(x + n, n));
  return p;
}

} // namespace stickslip
