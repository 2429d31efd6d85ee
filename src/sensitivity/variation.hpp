// The motion within one mode with its derivatives: s' = f_x s + f_p along a segment of a run (physics: the variational
// equation). Exact where the motion is: the Taylor series of x, and of s from it. Elsewhere collocation of order 5 at
// the points of Radau (Hairer, Wanner, Solving ODEs II, IV.5), which is implicit in s and so accepts any step of the
// run: the remaining error is that of the run itself between its steps.
#pragma once

#include "core/radau.hpp"
#include "run/trajectory.hpp"
#include "sensitivity/cotangents.hpp"
#include "sensitivity/slopes.hpp"

#include <span>
#include <string>

namespace stickslip {

inline constexpr double unknown_size = 1e-3; // size of a state that is zero and has no other size

// Derivatives of a guard along a motion: the size of its terms, its rate, and its derivative by each parameter; how fast
// the states move with each parameter, in their sizes.
struct GuardAnswer {
  double size = 0.0, rate = 0.0;
  Vector derivative, speed;
};

// The same without parameters: by the states and by time, the rate as it goes with the motion.
struct GuardSlope {
  double size = 0.0, rate = 0.0;
  Vector by_state;
};

// Dependence of a number of the run on its states at t.
struct Reading {
  double t = 0.0;
  const double* weight = nullptr;
};

class Variation {
public:
  Variation(Replica& base, const Parameters& parameters);

  // S (states x parameters) from t0 to t1, both within the segment.
  void advance(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  // x' of the machine itself.
  const Vector& motion(const Modes& modes, double frame, double t, const Vector& x);
  // Guard number k of the regime of these modes, where the state changes by S and the time by `moves`; `sizes` has
  // those of the states and of time.
  GuardAnswer guard(const Modes& modes, Index k, double frame, double t, const Vector& x,
                    const Eigen::Ref<const Tangents>& S, const Vector& moves, const State& sizes);

  // Backwards: `lambda` has the derivative of a number by the states at t1, then by those at the segment's start, with
  // the samples read of its states between. Effects of the parameters on the way are added to `into`.
  void retreat(const Trajectory& run, const Segment& segment, double t1, std::span<const Reading> readings,
               Vector& lambda, Cotangents& into);
  GuardSlope guard_slope(const Modes& modes, Index k, double frame, double t, const Vector& x,
                         const State& sizes);
  // `weight` times the derivatives of this guard by the parameters alone.
  void gather_guard(const Modes& modes, Index k, double frame, double t, const Vector& x, double weight,
                    Cotangents& into);
  // The derivatives by the parameters that the gathered ones of matrices amount to.
  void contract(Cotangents& all);

  // Guards that come to zero between t0 and t1 and turn back without having fired, and when.
  struct Touch {
    Index guard;
    double t;
  };
  const List<Touch>& touches(const Trajectory& run, const Segment& segment, double t0, double t1,
                             const State& sizes);

  SlopesOf slopes;
  std::string rough; // the first parameter and element whose law is not smooth next to its value

private:
  Replica& machine;
  const Parameters& by;
  struct Change {                   // of a signal by a parameter
    Index parameter, signal, order; // order: among those of its parameter
    bool constant;
    double value;
  };
  List<Change> changes;
  double rate_of(const Change& c, double frame, double t) const;

  // The motion over [t, t + h] within a segment: coefficients of powers of theta, of the states and of the signals.
  struct {
    const Segment* segment = nullptr;
    double t = 0.0, h = 0.0;
    Index columns = 0, degree = 0, guide_degree = 0; // of the states; of signals that drive them, of all
    Matrix x, s;
  } series;
  Matrix drive;    // of each change of a signal: its series
  Matrix injected; // backwards: at each power of time
  Vector owed_rates;
  Tangents now, next;
  using Points = Radau<3>;
  struct Collocation {
    Matrix M, right, K;
    List<Matrix> J; // at the points
    List<Vector> x; // there
    List<double> t;
    List<Tangents> by_parameters; // of x' there
    Index positions = 0;          // which change by their velocities alone
    std::vector<int> order;
  } collocation;
  struct { // projection at the end of a step of the run
    Vector x;
    Matrix by_state;
  } projection;
  Vector rates_of, force, beside_rates, guard_series;
  Vector room;                 // of coefficients that a segment's map makes
  List<List<double>> greatest; // of each element: of the rates of its states, and of its force
  List<Touch> found;
  List<int> sides;

  double pace_of(const RegimeSlopes& r, double t);
  void expand_signals(const RegimeSlopes& r, double t, double h);
  void expand(const RegimeSlopes& r, const Trajectory& run, const Segment& segment, double t, double h);
  double parts_of(const RegimeSlopes& r, double t0, double t1);
  Index columns_of(const RegimeSlopes& r, double t0, double length, double parts);
  void take(const RegimeSlopes& r, Index columns, TangentsRef S);
  void give(const RegimeSlopes& r, Index columns, Vector& lambda, Cotangents& into);
  void advance_exactly(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  void retreat_exactly(const Trajectory& run, const Segment& segment, double t1,
                       std::span<const Reading> readings, Vector& lambda, Cotangents& into);
  bool is_kinematic(const Matrix& J) const;
  Index steps_of(const Segment& segment) const;
  static double step_part(double t0, double t1, Index k, Index parts); // where the k-th of equal parts begins
  const List<int>& sides_of(const Modes& modes, double frame, double t, const Vector& x);
  double end_within(const Segment& segment, const Trajectory& run, double t0, double t1);
  void look_along(const Trajectory& run, const Segment& segment, double t0, double t1);
  void uncollocate(const Trajectory& run, const Segment& segment, double t0, double t1, Vector& lambda,
                   Cotangents& into);
  void gather_rates(const Modes& modes, double frame, double t, const Vector& x, const Vector& weight,
                    Cotangents& into);
  bool look_at_projection(const Trajectory& run, const Segment& segment, double t);
  Vector projected_beside(const Segment& segment, double t, Index parameter) const;
  void project(const Trajectory& run, const Segment& segment, double t, TangentsRef S);
  void unproject(const Trajectory& run, const Segment& segment, double t, Vector& lambda, Cotangents& into);
  void collocate(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  void add_rates(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into);
  void add_whole(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into);
  using Column = Eigen::Ref<Vector, 0, Eigen::InnerStride<>>;
  void add_element(const Regime& r, Index k, Index parameter, double frame, double t, const Vector& x,
                   Column into);
  double difference(const Modes& modes, Index k, double frame, double t, const Vector& x, const Vector& dx,
                    double dt, const State& sizes);
  Vector guards_at(const Trajectory& run, const Segment& segment, double frame, double t);
  bool may_rise(const Regime& r, Index k, Index columns);
};

} // namespace stickslip
