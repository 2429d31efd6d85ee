// Controllers in the fixed-step form: instants of sampled ones, limits of continuous ones.
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "realtime/real_time.hpp"
#include "transition/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stickslip {

namespace {

// Whole steps in a time, up to rounding; -1 if there is no such number.
std::int64_t whole_steps(double time, double h) {
  const double n = time / h, nearest = std::round(n);
  return std::abs(n - nearest) <= tolerance::instant * std::max(1.0, std::abs(n))
             ? static_cast<std::int64_t>(nearest)
             : -1;
}

} // namespace

void RealTime::set_up_sampling() {
  Index outputs = 0, remembered = 0, inputs_most = 1, room = 1;
  List<Index> offset;
  for (const Loop& l : sys.loops) {
    offset.push_back(outputs);
    outputs += l.block.outputs();
    inputs_most = std::max(inputs_most, l.inputs.size());
    room = std::max(room, work_size(l.block));
    if (!l.block.continuous()) remembered += memory_size(l.block);
  }
  for (Index k : sys.loop_order) {
    const Loop& l = sys.loops[k];
    if (l.block.continuous()) continue;
    const double T = l.block.period;
    Sampled one{k, offset[k], whole_steps(T, h), 0, 0};
    if (one.every < 1) {
      std::ostringstream text;
      text << "= " << h << " s does not divide the period " << T << " s of the controller '" << l.name
           << "': it must be the period divided by a whole number";
      reject("step", text.str());
    }
    const double number = std::ceil(t0 / T - tolerance::instant * std::max(1.0, std::abs(t0 / T)));
    one.first = one.next = whole_steps(std::abs(number * T - t0), h);
    if (one.first < 0) {
      std::ostringstream text;
      text << "= " << t0 << " s is no whole number of steps of " << h << " s away from the instants k * " << T
           << " s of the controller '" << l.name << "'";
      reject("t_start", text.str());
    }
    const double delay = l.block.delay;
    one.delay_steps = static_cast<std::int64_t>(std::floor(delay / h + tolerance::instant));
    one.delay_rest = delay - static_cast<double>(one.delay_steps) * h;
    if (one.delay_rest < tolerance::instant * h) one.delay_rest = 0.0;
    sampled.push_back(one);
  }
  computed = Vector::Zero(outputs);
  memory = Vector::Zero(remembered);
  samples = Vector::Zero(inputs_most);
  sample_rates = Vector::Zero(inputs_most);
  work = Vector::Zero(room);
  slopes = Vector::Zero(sys.nx + moving.size() + 2);
  restart_sampling();
}

void RealTime::restart_sampling() noexcept {
  for (Sampled& c : sampled) {
    const Loop& l = sys.loops[c.loop];
    start(l.block, memory.data() + l.memory);
    c.next = c.first;
    c.due = -1;
  }
}

// As Sampler: outputs whose delay is over are put out; all due controllers sample the plant as it is before
// anything changes, in the order of dataflow; outputs without delay are put out.
bool RealTime::control() noexcept {
  bool changed = false;
  for (Sampled& c : sampled)
    if (c.due == ticks && c.delay_rest == 0.0) changed = put_out(c) || changed;
  for (Sampled& c : sampled) {
    if (c.next != ticks) continue;
    compute(
        sys, c.loop, time(), [&](Index of, Index k) { return input_row(of, k)(a.x); }, samples.data(),
        memory.data(), work.data(), computed.data() + c.offset);
    c.next += c.every;
    c.due = ticks + c.delay_steps;
    if (sys.loops[c.loop].block.delay == 0.0) changed = put_out(c) || changed;
  }
  return changed;
}

bool RealTime::put_out(Sampled& c) noexcept {
  c.due = -1;
  return stickslip::put_out(sys.loops[c.loop], computed.data() + c.offset, a.x);
}

// Time from `at` to the next output that appears within this step; beyond its end if there is none.
double RealTime::next_output() const noexcept {
  double next = 2.0 * h;
  for (const Sampled& c : sampled)
    if (c.due == ticks) next = std::min(next, c.delay_rest - at);
  return next;
}

void RealTime::put_out_within(double now_at) noexcept {
  bool changed = false;
  for (Sampled& c : sampled)
    if (c.due == ticks && c.delay_rest <= now_at + tolerance::instant * h) changed = put_out(c) || changed;
  have_values = false;
  if (changed && sys.saturations > 0) saturations_anew();
}

// Inputs of limits at `a`; their rates where a limit looks at them.
void RealTime::prepare_saturations() noexcept {
  if (plan->follows) settle_following(a);
  if (!clamps) return;
  if (plan->quick && !have_values) forces_at_a();
  rates(a, 0.0, slopes.data());
  for (Index j = 0; j < moving.size(); ++j) slopes(sys.nx + j) = a.change[j] / h;
}

const SparseRow& RealTime::input_row(Index loop, Index k) const noexcept {
  return plan->inputs[loop][k];
}

void RealTime::choose(Index loop, Index output, const BlockGuard::Trigger* fired) noexcept {
  Saturation& mode = now.saturation[sys.loops[loop].saturation + output];
  mode = next_saturation(
      sys, loop, output, mode, fired, a.x, [&](Index of, Index k) { return input_row(of, k)(a.x); },
      [&](Index of, Index k) { return clamps ? input_row(of, k).linear(slopes.data()) : 0.0; },
      samples.data(), sample_rates.data());
}

void RealTime::saturation_fired(Index number) noexcept {
  const SaturationGuard& limit = plan->regime->linear->guards[number];
  const Loop& l = sys.loops[limit.loop];
  const auto k = limit.loop >= 0 ? l.saturation + limit.output : 0;
  if (now.saturation[k] != plan->regime->modes.saturation[k])
    return; // another guard of this output came first
  choose(limit.loop, limit.output, &limit.trigger);
}

// Inputs have jumped.
void RealTime::saturations_anew() noexcept {
  prepare_saturations();
  const Modes& shown = plan->regime->modes;
  bool changed = false;
  for_each_limit(sys, [&](Index of, Index j) {
    choose(of, j, nullptr);
    const Index k = sys.loops[of].saturation + j;
    changed = changed || now.saturation[k] != shown.saturation[k];
  });
  if (!changed) return;
  plan = &plan_of(now);
  have_values = false;
  ++transitions;
}

void RealTime::settle_following(Point& p) noexcept {
  stickslip::settle_following(
      sys, now.saturation, p.x, [&](Index of, Index k) { return input_row(of, k)(p.x); }, samples.data());
}

} // namespace stickslip
