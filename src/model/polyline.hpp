// A continuous piecewise linear function: straight segments between corners.
#pragma once

#include "core/list.hpp"

namespace stickslip {

// value = slope x + offset
struct Stretch {
  double slope = 0.0, offset = 0.0;
};

struct Polyline {
  List<double> corners;    // rising
  List<Stretch> stretches; // one more than corners; the outer ones are unbounded

  // Index of the segment at x; on a corner the one below it.
  Index stretch_at(double x) const {
    Index k = 0;
    while (k < corners.size() && x > corners[k]) ++k;
    return k;
  }
  double value(Index stretch, double x) const {
    return stretches[stretch].slope * x + stretches[stretch].offset;
  }
};

// Through points with rising x; the outermost lines continue beyond them.
Polyline polyline_through(const List<double>& x, const List<double>& y);
// A corner at each simple zero, so that no segment changes its sign.
void split_at_zeros(Polyline& line);
// Integral from zero to x, given the segment at x.
double integral(const Polyline& line, Index stretch, double x);

} // namespace stickslip
