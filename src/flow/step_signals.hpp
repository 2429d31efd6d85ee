// The signals of a machine during one step. Each keeps the piece that it has at the start up to the very end of the step,
// where the next one begins.
#pragma once

#include "core/list.hpp"
#include "dynamics/guard.hpp"
#include "model/system.hpp"

namespace stickslip {

class StepSignals {
public:
  explicit StepSignals(const System& sys);

  void update_constants(); // they have got new values
  void begin(double t);    // a step; signals that follow the state are written into `now` by the caller
  void at(double t, double* values) const {
    for (Index k = 0; k < varying.size(); ++k) values[varying[k]] = value(pieces[k], t);
  }
  void move_to(double t) { at(t, now.data()); }
  double rate(Index k, double t) const { return derivative(pieces[k], t, 1); } // of varying[k]
  bool constant() const { return varying.empty(); }
  double greatest_frequency() const; // of the harmonics in this step, rad/s

  // The series in powers of the time since t; returns the highest degree. Where it leaves the numbers it is cut, and
  // `fastest` raised until the terms left out do not count in a step of 3 / fastest.
  Index expand(double t, double& fastest);
  // The series in powers of theta = (time - t) / h of the signals that linear guards see; returns the highest degree.
  Index expand_seen(const List<GuardTerms>& guards, double t, double h);

  Vector now;          // values at the time that was asked for last
  Vector start;        // values at the start of the step
  List<Index> varying; // signals that are not constant
  List<Held> pieces;   // of each of them, during this step
  Matrix series;       // signals by powers

private:
  const System& sys;
};

} // namespace stickslip
