// Instants of a run as they were passed, with all that is needed to pass them once more beside it.
#pragma once

#include "core/list.hpp"
#include "transition/jump.hpp"

namespace stickslip {

struct Passage {
  State before;
  List<Guard> fired;
  bool scheduled =
      false; // a sampling instant, a breakpoint or the return of a jump one dead time ago; with or without guards
  bool breakpoint = false; // one of the latter two
  Jump jump;
  Index segment = 0; // the first one behind it
  Index event = 0;   // likewise; there need be none
};

// Sampling instants of linear controllers without other changes: their memory before.
class QuietInstants {
public:
  Index size() const { return segments.size(); }
  Index segment(Index k) const { return segments[k]; } // the first one behind it
  Index event(Index k) const { return events[k]; }     // likewise; there need be none
  void add(Index segment, Index event, const SamplingState& before) {
    segments.push_back(segment);
    events.push_back(event);
    numbers.insert(numbers.end(), before.memory.begin(), before.memory.end());
    numbers.insert(numbers.end(), before.output.begin(), before.output.end());
    instants.insert(instants.end(), before.next.begin(), before.next.end());
    instants.insert(instants.end(), before.pending.begin(), before.pending.end());
  }
  // Into one of the same machine.
  void read(Index k, SamplingState& before) const {
    const double* number = numbers.data() + k * (before.memory.size() + before.output.size());
    for (double& x : before.memory) x = *number++;
    for (double& x : before.output) x = *number++;
    const std::int64_t* instant = instants.data() + k * (before.next.size() + before.pending.size());
    for (std::int64_t& n : before.next) n = *instant++;
    for (std::int64_t& n : before.pending) n = *instant++;
  }

private:
  List<Index> segments, events;
  List<double> numbers;
  List<std::int64_t> instants;
};

struct Passages {
  List<Passage> all; // except sampling instants without an effect
  QuietInstants quiet;
};

} // namespace stickslip
