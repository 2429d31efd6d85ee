// Derivatives of the signals of a machine by the parameters: functions of time as well.
#pragma once

#include "sensitivity/neighbours.hpp"

namespace stickslip {

class SignalChanges {
public:
  explicit SignalChanges(const List<std::unique_ptr<Neighbours>>& by);

  struct One {
    Index parameter, signal;
    const Signal* of;
    bool constant;
    double value;       // of a constant
    double from, until; // zero outside, s

    bool acts(double t) const { return t >= from && t < until; }
    // At t, by the piece that holds from `frame` on.
    double rate(double frame, double t) const {
      return constant ? value : stickslip::value(piece_at(*of, frame), t);
    }
  };
  List<One> all;

  // A segment of a run lies between breakpoints of the machine's signals. Those of the derivatives may lie within it,
  // where the machine's own pieces on both sides are the same function.
  double next_knot(double t) const;
  // Start of the piece that holds just before t, in a motion that began at `frame`.
  double frame_before(double frame, double t) const;

private:
  List<double> knots;
};

} // namespace stickslip
