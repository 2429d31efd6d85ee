// A measured curve: piecewise linear through (v, F) points per unit load, held beyond its ends; two points at
// v = 0 make a jump, between whose sides anything goes at rest. Odd tables give the half v >= 0 and jump from
// -F(0) to F(0).
#pragma once

#include "core/list.hpp"
#include "friction/common.hpp"

namespace stickslip {

struct Table {
  List<double> velocity; // increasing; zero may stand there twice
  List<double> force;
  bool odd = false;

  bool operator==(const Table&) const = default;

  template <class Self, class F> static void each(Self& self, F&& f) {
    f("velocities", self.velocity);
    f("forces", self.force);
    f("odd", self.odd);
  }

  List<double> knots() const;
};

// The line that holds at v, F = value + slope (v - at); beyond zero on the wrong side the first line is
// prolonged.
struct TableLine {
  double at = 0.0, value = 0.0, slope = 0.0;
};
TableLine line_at(const Table&, double v, int direction);

template <class T> ForceOf<T> curve(const Table& c, const T& v, int direction) {
  const TableLine l = line_at(c, value_of(v), direction);
  return {T(l.value) + T(l.slope) * (v - T(l.at)), T(0.0)};
}

void validate(const Table&);
LawTraits about(const Table&);

} // namespace stickslip
