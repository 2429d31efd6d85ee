// Recorder of a run for an exported machine: it keeps the sums of impulses, and the motion at the end.
#pragma once

#include "export/co_simulation.hpp"
#include "run/recorder.hpp"

namespace stickslip {

class Gauge final : public Recorder {
public:
  Gauge(const System& of, Vector& impulses, MotionAhead& motion) : sys(of), sums(impulses), ahead(motion) {}

  void segment(const Regime&, double, double, const Step&, const Matrix&) override {}
  void last(const Regime&, double t0, double t1, const Step& step, const Matrix& C) override {
    ahead.t0 = t0, ahead.t1 = t1, ahead.h = step.h;
    ahead.coefficients = C.leftCols(step.columns);
  }
  bool motion() const override { return false; }
  void events(List<Event>& events) override {
    for (const Event& e : events)
      if (e.impact) sums(e.element - sys.friction.size()) += e.normal_impulse;
  }

private:
  const System& sys;
  Vector& sums;
  MotionAhead& ahead;
};

} // namespace stickslip
