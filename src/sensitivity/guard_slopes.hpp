// Derivatives of guards at a state: along a change of the states and of time with all parameters, and by the states and
// the parameters alone.
#pragma once

#include "sensitivity/rate_changes.hpp"

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

class GuardSlopes {
public:
  GuardSlopes(Replica& base, const Parameters& all, SlopesOf& slopes_of, const SignalChanges& signals,
              RateChanges& rate_changes)
      : machine(base), by(all), slopes(slopes_of), changes(signals), rates(rate_changes) {}

  // Guard number k of the regime of these modes, where the state changes by S and the time by `moves`; `sizes` has
  // those of the states and of time.
  GuardAnswer along(const Modes& modes, Index k, double frame, double t, const Vector& x,
                    const Eigen::Ref<const Tangents>& S, const Vector& moves, const State& sizes);
  GuardSlope by_state(const Modes& modes, Index k, double frame, double t, const Vector& x,
                      const State& sizes);
  // `weight` times the derivatives of this guard by the parameters alone.
  void gather(const Modes& modes, Index k, double frame, double t, const Vector& x, double weight,
              Cotangents& into);

private:
  Replica& machine;
  const Parameters& by;
  SlopesOf& slopes;
  const SignalChanges& changes;
  RateChanges& rates;
  Vector parameters; // derivatives of a guard

  const Vector& by_parameters(const Modes& modes, Index k, double frame, double t, const Vector& x);
  void add_closed_forms(const RegimeSlopes& of, Index k, double frame, double t, const Vector& x);
  double difference(const Modes& modes, Index k, double frame, double t, const Vector& x, const Vector& dx,
                    double dt, const State& sizes);
};

} // namespace stickslip
