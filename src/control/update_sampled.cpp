// One sampling instant of a sampled block.
#include "control/block.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

Index differences(const Block& b) {
  return std::count_if(b.inputs.begin(), b.inputs.end(), [](const Channel& c) { return c.difference; });
}

// The nearest step of the measuring scale, halves upwards.
double quantised(double x, double quantum) {
  return quantum > 0.0 ? quantum * std::floor(x / quantum + 0.5) : x;
}

// y += m x. These matrices have a few entries: a loop is quicker than a call.
void add_product(const Matrix& m, const double* x, double* y) {
  const Index rows = m.rows(), columns = m.cols();
  for (Index i = 0; i < rows; ++i) {
    const double* entry = m.data() + i;
    double sum = y[i];
    for (Index j = 0; j < columns; ++j, entry += rows) sum += *entry * x[j];
    y[i] = sum;
  }
}

void limit(const Block& b, const double* raw, double* u) {
  for (Index j = 0; j < b.outputs(); ++j) u[j] = std::min(std::max(raw[j], b.lo[j]), b.hi[j]);
}

// Amount by which the integral is reduced so that it does not carry the raw output beyond `bound`: at most its own
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

void update_sampled(const Block& b, double t, const double* samples, double* memory, double* work,
                    double* u) {
  const Index n = b.states(), m = b.inputs.size(), p = b.outputs();
  double *const w = work, *const next = w + m, *const raw = next + n;
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
    b.program->call(t, w, memory, u);
    limit(b, u, u);
    return;
  }

  std::fill(next, raw + p, 0.0);
  add_product(b.C, memory, raw);
  add_product(b.D, w, raw);
  limit(b, raw, u);
  if (n == 0) return;
  add_product(b.A, memory, next);
  add_product(b.B, w, next);
  if (b.integrator >= 0) {
    const double step = next[b.integrator] - memory[b.integrator];
    const Index k = b.further_limit();
    const double less = k >= 0 ? w[k] : 0.0; // by a limit further on, at the last instant
    next[b.integrator] -= overshoot(std::max(raw[0] - b.hi[0], -less), step) -
                          overshoot(std::max(b.lo[0] - raw[0], less), -step);
  } else {
    for (Index j = 0; j < p; ++j) raw[j] = u[j] - raw[j];
    add_product(b.L, raw, next);
  }
  std::copy_n(next, n, memory);
}

} // namespace stickslip
