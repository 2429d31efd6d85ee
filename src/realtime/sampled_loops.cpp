#include "realtime/sampled_loops.hpp"

#include "core/error.hpp"
#include "core/tolerances.hpp"
#include "transition/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

// Number of steps in a time, up to rounding; -1 if it is not an integer.
std::int64_t whole_steps(double time, double h) {
  const double n = time / h, nearest = std::round(n);
  return std::abs(n - nearest) <= tolerance::same * std::max(1.0, std::abs(n))
             ? static_cast<std::int64_t>(nearest)
             : -1;
}

} // namespace

SampledLoops::SampledLoops(const System& system, double step, double t0) : sys(system), h(step) {
  Index outputs = 0, remembered = 0, inputs_most = 1, room = 1;
  List<Index> offset;
  for (const Loop& l : sys.loops) {
    offset.push_back(outputs);
    outputs += l.block.outputs();
    inputs_most = std::max(inputs_most, l.inputs.size());
    room = std::max(room, work_size(l.block));
    if (!l.block.continuous()) remembered += memory_size(l.block);
  }
  for (Index k : sys.loop_order)
    if (!sys.loops[k].block.continuous()) add(k, offset[k], t0);
  computed = Vector::Zero(outputs);
  memory = Vector::Zero(remembered);
  samples = Vector::Zero(inputs_most);
  work = Vector::Zero(room);
  restart();
}

void SampledLoops::add(Index loop, Index offset, double t0) {
  const Loop& l = sys.loops[loop];
  const double T = l.block.period;
  Sampled one{loop, offset, whole_steps(T, h), 0, 0};
  if (one.every < 1) {
    std::ostringstream text;
    text << "= " << h << " s does not divide the period " << T << " s of the controller '" << l.name
         << "': it must be the period divided by an integer";
    reject("step", text.str());
  }
  const double number = std::ceil(t0 / T - tolerance::same * std::max(1.0, std::abs(t0 / T)));
  one.first = one.next = whole_steps(std::abs(number * T - t0), h);
  if (one.first < 0) {
    std::ostringstream text;
    text << "= " << t0 << " s is not allowed: it must differ from the sampling instants k * " << T
         << " s of the controller '" << l.name << "' by a multiple of the step, " << h << " s";
    reject("t_start", text.str());
  }
  const double delay = l.block.delay;
  one.delay_steps = static_cast<std::int64_t>(std::floor(delay / h + tolerance::same));
  one.delay_rest = delay - static_cast<double>(one.delay_steps) * h;
  if (one.delay_rest < tolerance::same * h) one.delay_rest = 0.0;
  sampled.push_back(one);
}

void SampledLoops::restart() noexcept {
  for (Sampled& c : sampled) {
    const Loop& l = sys.loops[c.loop];
    start(l.block, memory.data() + l.memory);
    c.next = c.first;
    c.due = -1;
  }
}

// As in Sampler: outputs whose delay is over take effect; all due controllers sample the plant before any other change,
// in the order of dataflow; outputs without delay take effect.
bool SampledLoops::run(std::int64_t step, double t, const Plant& plant) noexcept {
  bool changed = false;
  for (Sampled& c : sampled)
    if (c.due == step && c.delay_rest == 0.0) changed = put_out(c, plant.xs) || changed;
  for (Sampled& c : sampled) {
    if (c.next != step) continue;
    compute(
        sys, c.loop, t, [&](Index of, Index k) { return plant.inputs[of][k](plant.xs); }, samples.data(),
        memory.data(), work.data(), computed.data() + c.offset);
    c.next += c.every;
    c.due = step + c.delay_steps;
    if (sys.loops[c.loop].block.delay == 0.0) changed = put_out(c, plant.xs) || changed;
  }
  return changed;
}

bool SampledLoops::put_out(Sampled& c, double* x) noexcept {
  c.due = -1;
  return stickslip::put_out(sys.loops[c.loop], computed.data() + c.offset, x);
}

double SampledLoops::next_output(std::int64_t step, double at) const noexcept {
  double next = 2.0 * h;
  for (const Sampled& c : sampled)
    if (c.due == step) next = std::min(next, c.delay_rest - at);
  return next;
}

bool SampledLoops::put_out(std::int64_t step, double at, double* x) noexcept {
  bool changed = false;
  for (Sampled& c : sampled)
    if (c.due == step && c.delay_rest <= at + tolerance::same * h) changed = put_out(c, x) || changed;
  return changed;
}

} // namespace stickslip
