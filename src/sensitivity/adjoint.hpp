// Derivatives of one number of a run by many parameters: the adjoint is integrated backwards along the run,
// l- = (dx+ / dx-)^T l+ (Cao, Li, Petzold, Serban, SIAM J. Sci. Comput. 24, 2003; at events the transpose of
// the saltation). Contributions of the parameters are accumulated at the entries of matrices.
// Existence of the derivatives is checked by a forward pass along one direction in which all parameters change:
// an event that ends the derivatives by any parameter ends those along this direction.
#pragma once

#include "sensitivity/sensitivity.hpp"

#include <stdexcept>

namespace stickslip {

// Some step has no transpose that is known: derivatives forwards are.
struct NoTranspose : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Adjoint {
public:
  // As Sensitivity. Throws NoTranspose where parameters cannot change together.
  Adjoint(const Machine& machine, std::shared_ptr<const Trajectory> run, Passages passages,
          const Vector& initial, const Options& options, const Varied& varied);

  const Sensitivity& along() const { return *direction; }
  Sensitivity& along() { return *direction; }
  Vector shares; // how each parameter changes along this direction

  // Gradient of sum_k weights[:, k] x(times[k]) + sum_k event_weights[k] (time of events[k]), by each parameter; times
  // increase. NaN if it does not exist. Throws NoTranspose at an instant without a transpose.
  Vector gradient(const List<double>& times, const Matrix& weights, const List<Index>& events,
                  const Vector& event_weights);

private:
  std::unique_ptr<Sensitivity> start, direction;
  List<Index> passage_of_event;

  bool is_known(const List<double>& times, const List<Index>& events) const;
  void compare(const Vector& gradient, const List<double>& times, const Matrix& weights,
               const List<Index>& events, const Vector& event_weights);
  void unpass(Index number, double event_weight, Vector& lambda, Cotangents& into);
  struct Turn { // derivative of an instant: x' before it, and its time by the states
    Vector motion, time_by_state;
    bool moves = false;
  };
  double unreset(const Passage& p, const Turn& turn, Vector& lambda, Cotangents& into);
  void pass_sampling_instant_back(const RunStep& step, Vector& lambda, Cotangents& into);
};

} // namespace stickslip
