// The motion within one mode with its derivatives: s' = f_x s + f_p along a segment of a run (physics: the variational
// equation). Exact where the motion is: the Taylor series of x, and of s from it. Elsewhere collocation of order 9 at
// the points of Radau (Hairer, Wanner, Solving ODEs II, IV.5), which is implicit in s and so takes any step that the run
// has taken: what is left is what the run itself is off between its steps.
#pragma once

#include "run/trajectory.hpp"
#include "sensitivity/neighbours.hpp"

#include <map>
#include <memory>

namespace stickslip {

// How a guard of a motion answers: the size of what it is made of, its rate, and its derivative by each parameter.
struct GuardAnswer {
  double size = 0.0, rate = 0.0;
  Vector derivative;
};

class Variation {
public:
  using Parameters = List<std::unique_ptr<Neighbours>>;

  Variation(Replica& base, const Parameters& parameters) : machine(base), by(parameters) {}

  // S (nx x parameters) from t0 to t1, both within the segment.
  void advance(const Trajectory& run, const Segment& segment, double t0, double t1, Matrix& S);
  // Derivatives of x' by the parameters alone.
  Matrix rates(const Modes& modes, double frame, double t, const Vector& x);
  // Guard number k of the regime of these modes, where the state changes as S does and the time as `moves`; `sizes` has
  // those of the states and of time.
  GuardAnswer guard(const Modes& modes, Index k, double frame, double t, const Vector& x, const Matrix& S,
                    const Vector& moves, const State& sizes);

  // Guards that come to zero between t0 and t1 and turn back without having fired, and when.
  struct Touch {
    Index guard;
    double t;
  };
  List<Touch> touches(const Trajectory& run, const Segment& segment, double t0, double t1,
                      const State& sizes);

private:
  // Of an affine regime: what its matrices do with the parameters; empty where a parameter changes none of them.
  struct Affine {
    const Regime* regime = nullptr;
    double pace = 0.0; // 1/s: of the fastest thing in it
    struct Change {
      Matrix A, B;
    };
    List<Change> by;
  };

  Replica& machine;
  const Parameters& by;
  std::map<const Regime*, Affine> known;

  const Affine& affine(const Regime& r);
  double pace_of(const Regime& r, double t);
  void advance_exactly(const Trajectory& run, const Segment& segment, double t0, double t1, Matrix& S);
  double difference(const Modes& modes, Index k, double frame, double t, const Vector& x, const Vector& dx,
                    double dt, const State& sizes);
  void collocate(const Trajectory& run, const Segment& segment, double t0, double t1, Matrix& S);
};

} // namespace stickslip
