#include "sensitivity/run_steps.hpp"

#include <algorithm>

namespace stickslip {

List<RunStep> steps_of(const Trajectory& run, const Passages& instants) {
  const List<Passage>& passages = instants.all;
  const QuietInstants& quiet = instants.quiet;
  List<RunStep> steps;
  Index instant = 0;
  // The first event of the next passage or of the next sampling instant without one, whichever comes first.
  const auto event_behind = [&](Index next_passage, Index next_instant) {
    Index event = run.events.rows.size();
    if (next_passage < passages.size()) event = std::min(event, passages[next_passage].event);
    if (next_instant < quiet.size()) event = std::min(event, quiet.event(next_instant));
    return event;
  };
  const auto instants_before = [&](Index segment, Index next_passage) {
    for (; instant < quiet.size() && quiet.segment(instant) == segment; ++instant)
      steps.push_back(
          {RunStep::Kind::sampling_instant, instant, segment, event_behind(next_passage, instant + 1)});
  };
  for (Index k = 0; k < passages.size(); ++k) {
    const bool last = k + 1 == passages.size();
    const Index first = passages[k].segment, stop = last ? run.segments.size() : passages[k + 1].segment;
    steps.push_back({RunStep::Kind::passage, k, first, event_behind(k + 1, instant)});
    for (Index i = first; i < stop; ++i) {
      instants_before(i, k + 1);
      steps.push_back({RunStep::Kind::segment, i, i});
    }
    instants_before(stop, k + 1);
  }
  return steps;
}

} // namespace stickslip
