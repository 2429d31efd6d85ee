// Result of a run: the machine, segments in dense form, events, the last state. Samples on any grid and the energy
// balance are computed from these afterwards.
#pragma once

#include "core/list.hpp"
#include "dynamics/compiled.hpp"
#include "dynamics/state.hpp"
#include "flow/options.hpp"
#include "flow/segment.hpp"
#include "run/event_log.hpp"

#include <memory>
#include <string>

namespace stickslip {

struct Trajectory {
  std::shared_ptr<Compiled> compiled; // its own: elements added to a machine later make another one
  double t_begin = 0.0, t_end = 0.0;
  List<Segment> segments;
  List<double> coefficients;
  List<std::shared_ptr<const StrideMap>> maps; // that segments refer to
  EventLog events;
  List<std::pair<const Regime*, FlowKind>>
      used;                   // every regime and how it was run, in the order of their first use
  Keep kept = Keep::segments; // with less, t_begin == t_end: only the end can be sampled
  State state;                // at t_end
  Status status = Status::finished;
  std::string message;
  std::int64_t steps = 0, evaluations = 0, event_count = 0;

  // `message`, and a note on a machine that came to rest.
  std::string full_message() const;
  const System& system() const { return compiled->system; }
  // Number of the segment that holds at t, from the right.
  Index segment_at(double t) const;
  void state_at(const Segment& segment, double t, double* x) const;
  // Coefficients of a segment, in `room` where its map makes them.
  const double* polynomials(const Segment& segment, Vector& room) const;
  // Every start of a step, and the end.
  List<double> step_times() const;
};

} // namespace stickslip
