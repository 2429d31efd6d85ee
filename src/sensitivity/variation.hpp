// The motion within one mode with its derivatives: s' = f_x s + f_p along a segment of a run (physics: the variational
// equation), forwards for all parameters and backwards for one number of the run. Each step backwards is the transpose
// of the step forwards, so that both agree to rounding.
#pragma once

#include "sensitivity/collocated_tangent.hpp"
#include "sensitivity/exact_tangent.hpp"
#include "sensitivity/guard_slopes.hpp"
#include "sensitivity/touches.hpp"
#include "sensitivity/vertical_tangent.hpp"

namespace stickslip {

class Variation {
public:
  Variation(Replica& base, const Parameters& parameters, std::optional<Direction> along = {});

  // S (states x parameters) from the start of the segment to t1 within it.
  // `moves`: derivatives of the instant of rest behind which the motion is that of its neighbours but for a shift in
  // time, to first order; null: there is none.
  void advance(const Trajectory& run, const Segment& segment, double t1, TangentsRef S,
               const Vector* moves = nullptr);
  // These rows of S at increasing times within the segment, from S at its start. `end`: S at its end; null: unknown.
  void sample(const Trajectory& run, const Segment& segment, std::span<const double> times,
              std::span<const Index> rows, const Tangents& S, const Tangents* end, const Vector* moves,
              const Sink& sink);
  // Backwards: `lambda` has the derivative of a number by the states at t1, then by those at the segment's start, with
  // the samples read of its states between. Effects of the parameters on the way are added to `into`, that by `moves`
  // to `by_moves` (null: none).
  void retreat(const Trajectory& run, const Segment& segment, double t1, std::span<const Reading> readings,
               Vector& lambda, Cotangents& into, double* by_moves);
  // The derivatives by the parameters that the gathered ones of matrices amount to.
  void contract(Cotangents& all);

private:
  Replica& machine;
  const Parameters& by;

public:
  SlopesOf slopes;
  SignalChanges changes;
  RateChanges rates;
  GuardSlopes guards;

private:
  ExactTangent exact;
  CollocatedTangent<3> in_short_steps;
  CollocatedTangent<5> in_long_steps;

  struct { // projection at the end of a step of the run
    Vector x;
    Matrix by_state;
  } projection;
  List<double> ends; // of the steps in a segment
  Vector rate, force;

public:
  Touches touches;
  VerticalTangents vertical;

private:
  bool takes_long_steps(const Segment& segment) const;
  template <class Use> void with_collocation(const Segment& segment, Use&& use);
  const List<double>& steps_to(const Trajectory& run, const Segment& segment, double t1, std::size_t samples);
  Vector defect(const Trajectory& run, const Segment& segment, double t1);
  void collocate(const Trajectory& run, const Segment& segment, double t1, TangentsRef S, By kind);
  bool look_at_projection(const Trajectory& run, const Segment& segment, double t);
  Vector projected_beside(const Segment& segment, double t, Index parameter) const;
  void project(const Trajectory& run, const Segment& segment, double t, TangentsRef S, By kind);
  void unproject(const Trajectory& run, const Segment& segment, double t, Vector& lambda, Cotangents& into);
};

} // namespace stickslip
