#include "model/polyline.hpp"

#include <algorithm>

namespace stickslip {

Polyline polyline_through(const List<double>& x, const List<double>& y) {
  Polyline line;
  for (Index k = 0; k + 1 < x.size(); ++k) {
    const double slope = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    // From the nearer end, so that a segment that is zero at an end is exactly zero there.
    const Index at = std::abs(y[k]) <= std::abs(y[k + 1]) ? k : k + 1;
    line.stretches.push_back({slope, y[at] - slope * x[at]});
    if (k > 0) line.corners.push_back(x[k]);
  }
  return line;
}

void split_at_zeros(Polyline& line) {
  for (Index k = 0; k < line.stretches.size(); ++k) {
    const Stretch s = line.stretches[k];
    if (s.slope == 0.0) continue;
    const double zero = -s.offset / s.slope;
    const bool above = k == 0 || zero > line.corners[k - 1];
    const bool below = k == line.corners.size() || zero < line.corners[k];
    if (!above || !below) continue;
    line.corners.insert(line.corners.begin() + k, zero);
    line.stretches.insert(line.stretches.begin() + k, s);
    ++k;
  }
}

double integral(const Polyline& line, Index stretch, double x) {
  const auto primitive = [&](Index k, double at) {
    return (0.5 * line.stretches[k].slope * at + line.stretches[k].offset) * at;
  };
  const Index from = line.stretch_at(0.0);
  double sum = primitive(stretch, x) - primitive(from, 0.0);
  for (Index k = std::min(from, stretch); k < std::max(from, stretch); ++k)
    sum +=
        (stretch > from ? 1.0 : -1.0) * (primitive(k, line.corners[k]) - primitive(k + 1, line.corners[k]));
  return sum;
}

} // namespace stickslip
