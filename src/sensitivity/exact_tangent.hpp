// The tangent in a regime whose motion is exact: its Taylor series, from that of the states and of the signals,
//   x_(k+1) = h / (k+1) (A x_k + B s_k),   S_(k+1) = h / (k+1) (A S_k + A' x_k + B' s_k + B s'_k).
#pragma once

#include "run/trajectory.hpp"
#include "sensitivity/cotangents.hpp"
#include "sensitivity/reading.hpp"
#include "sensitivity/signal_changes.hpp"
#include "sensitivity/slopes.hpp"

#include <span>

namespace stickslip {

class ExactTangent {
public:
  ExactTangent(Replica& base, Index parameters, SlopesOf& slopes_of, const SignalChanges& signals);

  // S (states x parameters) from t0 to t1, both within the segment.
  void advance(const Trajectory& run, const Segment& segment, double t0, double t1, TangentsRef S);
  // These rows of S at increasing times within the segment, from S at its start.
  void sample(const Trajectory& run, const Segment& segment, std::span<const double> times,
              std::span<const Index> rows, Tangents S, const Sink& sink);
  // The transpose of `advance` from the segment's start, with readings between.
  void retreat(const Trajectory& run, const Segment& segment, double t1, std::span<const Reading> readings,
               Vector& lambda, Cotangents& into);

  // The motion over [t, t + h] within a segment: coefficients of powers of theta, of the states and of the signals.
  struct Series {
    const Segment* segment = nullptr;
    double t = 0.0, h = 0.0;
    Index columns = 0, degree = 0, guide_degree = 0; // of the states; of signals that drive them, of all
    Matrix x, s;
  };
  const Series& expand(const RegimeSlopes& r, const Trajectory& run, const Segment& segment, double t,
                       double h);
  // Greatest rate of the motion and of the signals at t.
  double pace_of(const RegimeSlopes& r, double t) const;

private:
  Replica& machine;
  SlopesOf& slopes;
  const SignalChanges& changes;
  Series series;
  List<Index> acting; // changes of signals that are not zero there
  Matrix drive;       // of each change of a signal: its series
  Matrix injected;    // backwards: at each power of time
  Vector owed;
  Vector room; // of coefficients that a segment's map makes
  Tangents now, next;
  List<Tangents> powers;
  List<double> starts; // of the series over an interval, and its end

  void expand_signals(const RegimeSlopes& r, double t, double h);
  const List<double>& starts_between(const RegimeSlopes& r, double t0, double t1);
  Index columns_of(const RegimeSlopes& r, double t, double h) const;
  void take(const RegimeSlopes& r, Index columns, TangentsRef S, bool keep = false);
  void give(const RegimeSlopes& r, Index columns, Vector& lambda, Cotangents& into);
};

} // namespace stickslip
