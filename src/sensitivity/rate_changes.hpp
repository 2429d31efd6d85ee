// Derivatives of x' by the parameters alone, at one state: of all parameters forwards, of one number of the run
// backwards.
#pragma once

#include "friction/varied_law.hpp"
#include "sensitivity/cotangents.hpp"
#include "sensitivity/signal_changes.hpp"
#include "sensitivity/slopes.hpp"

#include <string>

namespace stickslip {

class RateChanges {
public:
  RateChanges(Replica& base, const Parameters& parameters, SlopesOf& slopes_of, const SignalChanges& signals);

  // x' of the machine itself.
  const Vector& motion(const Modes& modes, double frame, double t, const Vector& x);
  // Forces of the sliding elements there.
  Vector sliding_forces(const Regime& r) const;
  // Adds the derivatives of x'.
  void add(const Modes& modes, double frame, double t, const Vector& x, TangentsRef into);
  // Derivatives of the force of each sliding element: sliding elements x parameters.
  const Tangents& forces(const Modes& modes, double frame, double t, const Vector& x);
  // The transpose: adds those of weight . x'.
  void gather(const Modes& modes, double frame, double t, const Vector& x, const Vector& weight,
              Cotangents& into);

  std::string rough; // the first parameter and element whose law is not smooth next to its value

private:
  Replica& machine;
  const Parameters& by;
  SlopesOf& slopes;
  const SignalChanges& changes;
  Vector rates, force, beside_rates;
  Tangents of_forces;
  // Differences of an element's own rates, its force and the rate of its memory, in this order.
  struct {
    Matrix values; // a column for each neighbouring machine
    Vector slope;
  } of;
  List<List<double>> greatest; // of each element: of these numbers so far
  struct Varied {              // an element's law by some of the parameters
    VariedLaw law;
    List<RegimeSlopes::Changed> parameters;
  };
  List<List<Varied>> laws; // of each element; empty: not yet known, or none
  List<VariedLaw::Number> own_state, own_rate;
  struct Place {  // a sliding element at one state
    Index number; // counted as in the regime
    const Friction& element;
    const FrictionMode& mode;
    double v, N, frame, t;
    const Vector& x;
  };
  struct { // slopes of an element's own rates and its force, in this order, by velocity and load
    bool known = false;
    List<Dual<2>> state, slopes;
  } inputs;

  Vector whole_change(const Neighbours& p, const Modes& modes, double frame, double t, const Vector& x);
  template <class Use>
  void for_each_element(const RegimeSlopes& r, double frame, double t, const Vector& x, Use&& use);
  const List<Varied>& varied_laws(const RegimeSlopes& r, Index k);
  template <class Use> void differentiate_by_numbers(const RegimeSlopes& r, const Place& at, Use&& use);
  void add_change_by_signals(const Place& at, const Neighbours& p);
  void difference(const Place& at, const Neighbours& p, bool same_inputs);
};

} // namespace stickslip
