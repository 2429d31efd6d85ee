// The motion within one mode with its derivatives: s' = f_x s + f_p along a segment of a run (physics: the variational
// equation). Exact where the motion is: the Taylor series of x, and of s from it. Elsewhere collocation of order 5 at
// the points of Radau (Hairer, Wanner, Solving ODEs II, IV.5), which is implicit in s and so takes any step that the run
// has taken: what is left is what the run itself is off between its steps.
#pragma once

#include "run/trajectory.hpp"
#include "sensitivity/slopes.hpp"

#include <string>

namespace stickslip {

// How a guard of a motion answers: the size of what it is made of, its rate, and its derivative by each parameter.
struct GuardAnswer {
  double size = 0.0, rate = 0.0;
  Vector derivative;
};

class Variation {
public:
  Variation(Replica& base, const Parameters& parameters);

  // S (states x parameters) from t0 to t1, both within the segment.
  void advance(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  // x' of the machine itself.
  const Vector& motion(const Modes& modes, double frame, double t, const Vector& x);
  // Guard number k of the regime of these modes, where the state changes as S does and the time as `moves`; `sizes` has
  // those of the states and of time.
  GuardAnswer guard(const Modes& modes, Index k, double frame, double t, const Vector& x,
                    const Eigen::Ref<const Tangents>& S, const Vector& moves, const State& sizes);

  // Guards that come to zero between t0 and t1 and turn back without having fired, and when.
  struct Touch {
    Index guard;
    double t;
  };
  const List<Touch>& touches(const Trajectory& run, const Segment& segment, double t0, double t1,
                             const State& sizes);

  SlopesOf slopes;
  std::string rough; // the parameter and the element whose law is not smooth beside it, once met

private:
  Replica& machine;
  const Parameters& by;
  struct Change {                   // of a signal by a parameter
    Index parameter, signal, order; // order: among those of its parameter
    bool constant;
    double value;
  };
  List<Change> changes;

  // The motion over [t, t + h] within a segment: coefficients of powers of theta, of the states and of the signals.
  struct {
    const Segment* segment = nullptr;
    double t = 0.0, h = 0.0;
    Index columns = 0, degree = 0, guide_degree = 0; // of the states; of signals that drive them, of all
    Matrix x, s;
  } series;
  Matrix drive; // of each change of a signal: its series
  Tangents now, next;
  struct Collocation {
    Matrix M, right, K;
    List<Matrix> J;               // at the points
    List<Tangents> by_parameters; // of x' there
    Vector x;
    std::vector<int> order;
  } collocation;
  Vector rates_of, force, beside_rates, guard_series;
  Vector room;     // of coefficients that a segment's map makes
  struct Checked { // a derivative, and what another formula says
    double first = 0.0, value = 0.0, check = 0.0, most = 0.0;
    void add(Index n, const Neighbours& p, double f);
    bool agrees(double size, double before) const;
  };
  List<Checked> checked;
  List<List<double>> greatest; // of each element: of the rates of its states, and of its force
  List<Touch> found;

  double pace_of(const RegimeSlopes& r, double t);
  void expand_signals(const RegimeSlopes& r, double t, double h);
  void expand(const RegimeSlopes& r, const Trajectory& run, const Segment& segment, double t, double h);
  void take(const RegimeSlopes& r, Index columns, TangentsRef S);
  void advance_exactly(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  bool is_kinematic(const Matrix& J, const Tangents& by_parameters) const;
  void collocate(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  void add_rates(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into);
  void add_whole(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into);
  void add_element(const Regime& r, Index k, Index parameter, double frame, double t, const Vector& x,
                   TangentsRef into);
  double difference(const Modes& modes, Index k, double frame, double t, const Vector& x, const Vector& dx,
                    double dt, const State& sizes);
  Vector guards_at(const Trajectory& run, const Segment& segment, double frame, double t);
  bool may_rise(const Regime& r, Index k, Index columns);
};

} // namespace stickslip
