// What a run leaves behind: its segments in dense form, its events, its last state. Sampling on any grid and
// the energy balance are made from these afterwards.
#pragma once

#include "dynamics/compiled.hpp"
#include "dynamics/state.hpp"
#include "flow/segment.hpp"
#include "flow/stepper.hpp"
#include "run/loop_signals.hpp"
#include "transition/event.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stickslip {

struct Trajectory {
  std::shared_ptr<Compiled> compiled;
  double t_begin = 0.0, t_end = 0.0;
  std::vector<Segment> segments;
  std::vector<double> coefficients;
  std::vector<Event> events;
  std::vector<std::pair<const Regime*, FlowKind>>
      used;                   // every regime and how it was run, in the order of their first use
  Keep kept = Keep::segments; // with less, t_begin == t_end: only the end can be sampled
  State state;                // at t_end
  Status status = Status::finished;
  std::string message;
  std::int64_t steps = 0, evaluations = 0, event_count = 0;

  // `message`, and what is to be said about a machine that came to rest.
  std::string full_message() const;
  const System& system() const { return compiled->system; }
  // Number of the segment that holds at t, from the right.
  std::size_t segment_at(double t) const;
  void state_at(const Segment& segment, double t, double* x) const;
  // Every start of a step, and the end.
  std::vector<double> step_times() const;
};

// Samples on a grid of times within [t_begin, t_end], values from the right.
struct Samples {
  Matrix y;                             // nx x times
  Matrix rate;                          // x'
  Matrix force;                         // places, then normal forces of contacts x times
  Matrix velocity;                      // places x times: relative velocity
  Matrix load;                          // places x times
  Matrix gap, gap_rate, normal_impulse; // contacts x times; the impulse is the sum of all impacts so far
  Matrix limit_lo,
      limit_hi;   // places x times: forces that a stuck place can take; NaN where it does not stick
  Matrix signals; // ns x times
  Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> mode;         // places x times
  Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> contact_mode; // contacts x times
  LoopSamples loops;
};
Samples sample(const Trajectory& run, const std::vector<double>& times);

// Every term of the energy balance at the given times, cumulative from t_begin.
struct EnergyBalance {
  Vector kinetic, elastic;
  Matrix drives;   // work done by each applied force
  Vector damping;  // energy taken by the damping matrix
  Matrix friction; // energy taken at each place
  Matrix surfaces; // work done by each moving surface
  Matrix walls; // work done by each contact whose gap moves by itself, and in impacts by its surface as well
  Vector impacts;     // energy lost in impacts
  Matrix controllers; // work done by each controller
  Vector imbalance;
  double residual = 0.0; // greatest imbalance relative to all work done, each way counted
};
EnergyBalance energy(const Trajectory& run, const std::vector<double>& times);

} // namespace stickslip
