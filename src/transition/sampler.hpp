// Sampled controllers at their instants.
#pragma once

#include "core/list.hpp"
#include "dynamics/regime.hpp"
#include "dynamics/sampling_state.hpp"

#include <cstdint>
#include <limits>

namespace stickslip {

struct State;

// Order at one instant: outputs whose delay is over take effect; all due controllers sample the plant before any other
// change (and signals just after the instant), in the order of dataflow; outputs without delay take effect. Impacts and
// modes follow in Transition.
class Sampler {
public:
  // Actions due at t: put(loop) when a delay is over; then sample(loop), in the order of dataflow, with put(loop) for
  // outputs without delay.
  template <class Put, class Sample>
  void for_each_due(SamplingState& sampling, double t, Put&& put, Sample&& sample) const {
    const double now = t + together(t);
    for (const Index b : sampled)
      if (sampling.pending[b] != SamplingState::none &&
          instant(sys.loops[b], sampling.pending[b]) + sys.loops[b].block.delay <= now)
        put(b), sampling.pending[b] = SamplingState::none;
    for (const Index b : sampled) {
      if (instant(sys.loops[b], sampling.next[b]) > now) continue;
      sample(b);
      sampling.pending[b] = sampling.next[b]++;
      if (sys.loops[b].block.delay == 0.0) put(b), sampling.pending[b] = SamplingState::none;
    }
  }
  Index first_output(Index loop) const { return offset[loop]; } // in SamplingState::output

  Sampler(const System& sys, RegimeCache& cache, Scratch& scratch);

  bool any() const { return !sampled.empty(); }
  double next(const State& state) const; // the next scheduled instant; infinity without sampled controllers
  bool due(const State& state, double t) const { return any() && next(state) <= t + together(t); }
  // Executes all actions due at state.base_t; controllers read their inputs through `part`. Changes held outputs in
  // base_x.
  void run(State& state, const LinearPart& part);
  // All guards of the present regime are clearly negative: no mode can change at this instant.
  bool quiet(const State& state, const Regime& regime);
  void signals_changed() { read_at = std::numeric_limits<double>::quiet_NaN(); }

private:
  const System& sys;
  RegimeCache& cache;
  List<Index> sampled; // in the order of dataflow
  List<Index> offset;  // of each loop's outputs in SamplingState::output
  List<Index> varying; // signals that are not constant
  Scratch& scratch;
  Vector s, samples, work;
  double read_at = std::numeric_limits<double>::quiet_NaN(); // time of the values in s

  void read_signals(double t);

  // Tolerance for equal sampling instants k T, which differ by rounding.
  static double together(double t);
};

} // namespace stickslip
