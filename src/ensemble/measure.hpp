// Measures of a run in an ensemble: single numbers, accumulated during the run, so that the run itself is
// not kept.
#pragma once

#include "core/list.hpp"
#include "run/energy.hpp"
#include "run/recorder.hpp"

#include <string>

namespace stickslip {

// Names:
//   events.count, events.first, events.last   times are NaN where there is none
//   <element>.events.count, ...               the same of one element
//   <state>.max, .min, .mean, .final          extremes are those of the exact curve, not of samples
//   <element>.stick_time                      s spent sticking
//   energy.residual, steps
struct Measure {
  enum class Kind { count, first, last, max, min, mean, final, stick_time, residual, steps };
  Kind kind = Kind::count;
  Index element = -1; // of events and stick_time, -1: all; state
};

// Throws UnknownName.
Measure find_measure(const System& sys, const std::string& name);

// A recorder that holds the measures of one run.
class Gauges final : public Recorder {
public:
  Gauges(const System& sys, List<Measure> measures);

  void begin(double t_begin, double t_end); // of the next run
  void segment(const Regime& r, double t0, double t1, const Step& step, const Matrix& C) override;
  bool motion() const override { return residual || !extremes_of.empty(); }
  void events(List<Event>& events) override;
  double result(Index measure, const State& end, const Outcome& outcome) const;

private:
  const System& sys;
  List<Measure> measures;
  List<double> value;
  List<Index> extremes_of; // states whose extremes or means are requested
  Vector least, greatest, integral;
  bool stick = false, residual = false;
  double from = 0.0, to = 0.0, reached = 0.0;
  Balance balance;
};

} // namespace stickslip
