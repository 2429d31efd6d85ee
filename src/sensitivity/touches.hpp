// Guards that only graze: they come to zero from below and turn back, and nothing fires.
#pragma once

#include "sensitivity/exact_tangent.hpp"

namespace stickslip {

class Touches {
public:
  Touches(Replica& base, SlopesOf& slopes_of, ExactTangent& exact_tangent)
      : machine(base), slopes(slopes_of), exact(exact_tangent) {}

  struct Touch {
    Index guard;
    double t;
  };
  // Between t0 and t1 within the segment.
  const List<Touch>& between(const Trajectory& run, const Segment& segment, double t0, double t1,
                             const State& sizes);

private:
  Replica& machine;
  SlopesOf& slopes;
  ExactTangent& exact;
  List<Touch> found;
  Vector guard_series;

  Vector guards_at(const Trajectory& run, const Segment& segment, double frame, double t);
  bool may_rise(const Regime& r, Index k, const ExactTangent::Series& series, Index columns);
};

} // namespace stickslip
