// Sampled controllers in the fixed-step form: they run at the start of those steps on which their instants fall; an output
// that has been computed for a while appears where its delay ends, also within a step.
#pragma once

#include "core/list.hpp"
#include "model/system.hpp"
#include "realtime/real_time_plan.hpp"

namespace stickslip {

class SampledLoops {
public:
  // Rows of the inputs of each controller, and what they are rows of: x and the moving signals.
  struct Plant {
    const List<List<SparseRow>>& inputs;
    double* xs;
  };

  // Throws where the step h does not fit the periods.
  SampledLoops(const System& sys, double h, double t0);

  bool any() const { return !sampled.empty(); }
  void restart() noexcept;
  // At the start of the step `tick`, at t: whether an output changed.
  bool run(std::int64_t tick, double t, const Plant& plant) noexcept;
  // Time from `at` to the next output that appears within this step; beyond its end if there is none.
  double next_output(std::int64_t tick, double at) const noexcept;
  // Puts out the outputs whose delay is over; true if one has changed.
  bool put_out(std::int64_t tick, double at, double* x) noexcept;

private:
  struct Sampled {
    Index loop, offset; // offset: of its outputs among all
    std::int64_t every; // steps
    std::int64_t next, first;
    std::int64_t delay_steps = 0;
    double delay_rest = 0.0; // s
    std::int64_t due = -1;   // step in which the computed output appears, or -1
  };

  const System& sys;
  double h;
  List<Sampled> sampled; // in the order of dataflow
  Vector memory, computed, samples, work;

  void add(Index loop, Index offset, double t0);
  bool put_out(Sampled& c, double* x) noexcept;
};

} // namespace stickslip
