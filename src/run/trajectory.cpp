#include "run/trajectory.hpp"

#include "core/list.hpp"
#include "run/rest.hpp"

#include <algorithm>

namespace stickslip {

std::string Trajectory::full_message() const {
  std::string text = message;
  if (status == Status::finished && !system().smooth)
    if (const std::string rest =
            note_of_rest(system(), compiled->regimes.get(system(), state.modes), t_end, state.x.data());
        !rest.empty())
      text += "; " + rest;
  return text;
}

Index Trajectory::segment_at(double t) const {
  // Last segment that starts at or before t; segments of no length, left by several transitions at one
  // instant, come before the one that counts.
  auto it = std::upper_bound(segments.begin(), segments.end(), t,
                             [](double time, const Segment& s) { return time < s.t0; });
  if (it == segments.begin()) return 0;
  return (it - segments.begin()) - 1;
}

void Trajectory::state_at(const Segment& seg, double t, double* x) const {
  Vector room;
  segment_state(seg, polynomials(seg, room), system().nx, t, x);
}

const double* Trajectory::polynomials(const Segment& seg, Vector& room) const {
  const double* const first = coefficients.data() + seg.offset;
  if (seg.map == nullptr) return first;
  room.resize(seg.columns * system().nx);
  seg.map->expand(first, system().nx, seg.columns, room.data());
  return room.data();
}

List<double> Trajectory::step_times() const {
  List<double> times;
  for (const Segment& s : segments)
    if (s.t0 >= t_begin && (times.empty() || s.t0 > times.back())) times.push_back(s.t0);
  if (times.empty() || times.front() > t_begin) times.insert(times.begin(), t_begin);
  if (times.back() < t_end) times.push_back(t_end);
  return times;
}

} // namespace stickslip
