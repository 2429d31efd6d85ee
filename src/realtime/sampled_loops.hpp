// Sampled controllers in the fixed-step form: they run at the start of those steps that contain their sampling
// instants; a delayed output takes effect at the end of its delay, also within a step.
#pragma once

#include "core/list.hpp"
#include "model/system.hpp"
#include "realtime/real_time_plan.hpp"

namespace stickslip {

class SampledLoops {
public:
  // Rows of the inputs of each controller, over x and the moving signals.
  struct Plant {
    const List<List<SparseRow>>& inputs;
    double* xs;
  };

  struct Sampled {
    Index loop, offset; // offset: of its first output among all
    std::int64_t every; // steps
    std::int64_t next, first;
    std::int64_t delay_steps = 0;
    double delay_rest = 0.0; // s
    std::int64_t due = -1;   // step in which the computed output takes effect, or -1
  };

  // Throws if the periods are not multiples of the step h.
  SampledLoops(const System& sys, double h, double t0);

  bool any() const { return !sampled.empty(); }
  const List<Sampled>& list() const { return sampled; }
  Index memory_length() const { return memory.size(); }
  void restart() noexcept;
  // At the start of step `step`, at time t; true if an output changed.
  bool run(std::int64_t step, double t, const Plant& plant) noexcept;
  // Time from `at` to the next output that takes effect within this step; beyond its end if there is none.
  double next_output(std::int64_t step, double at) const noexcept;
  // Applies the outputs whose delay is over; true if one has changed.
  bool put_out(std::int64_t step, double at, double* x) noexcept;

private:
  const System& sys;
  double h;
  List<Sampled> sampled; // in the order of dataflow
  Vector memory, computed, samples, work;

  void add(Index loop, Index offset, double t0);
  bool put_out(Sampled& c, double* x) noexcept;
};

} // namespace stickslip
