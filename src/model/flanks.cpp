// Converts the description of a spring to its flanks.
#include "model/flanks.hpp"

#include "model/machine.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// side +1: pushes where x > corner, -1: where x < corner.
Flank one_flank(double stiffness, double corner, int side) {
  const Stretch pushes{stiffness, -stiffness * corner}, off{};
  Flank f;
  f.line.corners = {corner};
  f.line.stretches = side > 0 ? List<Stretch>{off, pushes} : List<Stretch>{pushes, off};
  f.side = side > 0 ? List<int>{0, 1} : List<int>{-1, 0};
  return f;
}

int sign_of(const Polyline& line, Index k) {
  const Index m = line.corners.size();
  const auto value = [&](double x) { return line.value(k, x); };
  double inside = 0.0; // a point in the segment, off its corners
  if (m == 0) return 0;
  if (k == 0)
    inside = value(line.corners[0]) - line.stretches[0].slope;
  else if (k == m)
    inside = value(line.corners[m - 1]) + line.stretches[m].slope;
  else
    inside = value(0.5 * (line.corners[k - 1] + line.corners[k]));
  return inside > 0.0 ? 1 : inside < 0.0 ? -1 : 0;
}

bool is_zero(const Stretch& s) {
  return s.slope == 0.0 && s.offset == 0.0;
}

Flank flank_of_table(const SpringElement& e) {
  Polyline line = polyline_through(e.elongations, e.forces);
  split_at_zeros(line);
  Flank f;
  for (Index k = 0; k < line.stretches.size(); ++k) {
    int side = is_zero(line.stretches[k]) ? 0 : sign_of(line, k);
    if (e.one_sided && side > 0) side = 0, line.stretches[k] = {};
    f.side.push_back(side);
  }
  if (std::find(f.side.begin(), f.side.end(), 0) == f.side.end()) return attached(std::move(line));
  f.line = std::move(line);
  return f;
}

} // namespace

Flank attached(Polyline line) {
  Flank f;
  f.side.assign(line.stretches.size(), 0);
  f.line = std::move(line);
  f.attached = true;
  return f;
}

// Preload reduces the backlash: each flank begins where its force would be zero.
List<Flank> flanks_of(const SpringElement& e) {
  if (!e.elongations.empty()) return {flank_of_table(e)};
  const double k = e.stiffness;
  if (!e.one_sided && e.backlash == 0.0 && e.preload == 0.0) return {attached({{}, {{k, 0.0}}})};
  const double begins = 0.5 * e.backlash - e.preload / k;
  if (e.one_sided) return {one_flank(k, -begins, -1)};
  return {one_flank(k, -begins, -1), one_flank(k, begins, 1)};
}

bool passes_without_play(const Flank& f) {
  for (Index k = 0; k + 1 < f.side.size(); ++k)
    if (f.side[k] * f.side[k + 1] < 0) return true;
  return false;
}

} // namespace stickslip
