// One sampling instant of a sampled block.
#include "control/block.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

using Map = Eigen::Map<Vector>;

Index differences(const Block& b) {
  return std::count_if(b.inputs.begin(), b.inputs.end(), [](const Channel& c) { return c.difference; });
}

// The nearest step of the measuring scale, halves upwards.
double quantised(double x, double quantum) {
  return quantum > 0.0 ? quantum * std::floor(x / quantum + 0.5) : x;
}

// y += m x. These matrices have a few entries: a loop is quicker than a call.
void add_product(const Matrix& m, const double* x, double* y) {
  const Index rows = m.rows();
  const double* column = m.data();
  for (Index j = 0; j < m.cols(); ++j, column += rows)
    for (Index i = 0; i < rows; ++i) y[i] += column[i] * x[j];
}

// How far the integral is taken back so that it does not carry the raw output beyond `bound`: at most its own
// step.
double overshoot(double excess, double step) {
  return std::clamp(excess, 0.0, std::max(step, 0.0));
}

} // namespace

Index memory_size(const Block& b) {
  return b.states() + differences(b) + 1;
}

Index work_size(const Block& b) {
  return b.inputs.size() + b.states() + b.outputs();
}

void start(const Block& b, double* memory) {
  std::fill(memory, memory + memory_size(b), 0.0);
  std::copy_n(b.initial.data(), b.states(), memory);
}

void tick(const Block& b, double t, const double* samples, double* memory, double* work, double* u) {
  const Index n = b.states(), m = b.inputs.size(), p = b.outputs();
  Map w(work, m), next(work + m, n), raw(work + m + n, p), z(memory, n), out(u, p);
  double* previous = memory + n;
  double& started = memory[memory_size(b) - 1];

  for (Index i = 0; i < m; ++i) {
    const Channel& c = b.inputs[i];
    double x = samples[i];
    if (c.of == Channel::Of::measurement && c.order == 0) x = quantised(x, b.quantum);
    w[i] = x;
    if (c.difference) {
      w[i] = started != 0.0 ? (x - *previous) / b.period : 0.0;
      *previous++ = x;
    }
  }
  started = 1.0;

  if (b.program) {
    b.program->call(t, w.data(), memory, u);
    out = out.cwiseMax(b.lo).cwiseMin(b.hi);
    return;
  }

  raw.setZero();
  next.setZero();
  add_product(b.C, z.data(), raw.data());
  add_product(b.D, w.data(), raw.data());
  add_product(b.A, z.data(), next.data());
  add_product(b.B, w.data(), next.data());
  out = raw.cwiseMax(b.lo).cwiseMin(b.hi);
  if (b.integrator >= 0) {
    const double step = next[b.integrator] - z[b.integrator];
    next[b.integrator] -= overshoot(raw[0] - b.hi[0], step) - overshoot(b.lo[0] - raw[0], -step);
  } else {
    raw = out - raw;
    add_product(b.L, raw.data(), next.data());
  }
  z = next;
}

} // namespace stickslip
