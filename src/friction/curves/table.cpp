#include "friction/curves/table.hpp"

#include "core/list.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// Lines 0 ... n: line k ends at point k and begins at point k-1; 0 and n are the held ends.
TableLine line(const Table& c, Index k) {
  const Index n = c.velocity.size();
  if (k == 0) return {c.velocity[0], c.force[0], 0.0};
  if (k == n) return {c.velocity[n - 1], c.force[n - 1], 0.0};
  const double width = c.velocity[k] - c.velocity[k - 1];
  return {c.velocity[k - 1], c.force[k - 1], (c.force[k] - c.force[k - 1]) / width};
}

// The line to the right of v (the points at or before v are behind it), or to its left.
Index right_of(const Table& c, double v) {
  return std::upper_bound(c.velocity.begin(), c.velocity.end(), v) - c.velocity.begin();
}
Index left_of(const Table& c, double v) {
  return std::lower_bound(c.velocity.begin(), c.velocity.end(), v) - c.velocity.begin();
}

} // namespace

List<double> Table::knots() const {
  List<double> all = velocity;
  if (odd)
    for (double v : velocity) all.push_back(-v);
  return all;
}

TableLine line_at(const Table& c, double v, int direction) {
  if (c.odd) {
    const TableLine l = line(c, std::max(right_of(c, 0.0), right_of(c, direction * v)));
    return {direction * l.at, direction * l.value, l.slope};
  }
  if (direction > 0) return line(c, std::max(right_of(c, 0.0), right_of(c, v)));
  return line(c, std::min(left_of(c, 0.0), left_of(c, v)));
}

void validate(const Table& c) {
  if (c.velocity.size() != c.force.size())
    reject("velocities and forces", "must have the same number of points");
  if (c.velocity.empty()) reject("velocities", "must have at least one point");
  for (Index i = 0; i < c.velocity.size(); ++i) {
    finite("velocities", c.velocity[i]);
    finite("forces", c.force[i]);
  }
  for (Index i = 1; i < c.velocity.size(); ++i) {
    const bool jump =
        !c.odd && c.velocity[i] == 0.0 && c.velocity[i - 1] == 0.0 && (i < 2 || c.velocity[i - 2] != 0.0);
    if (!(c.velocity[i] > c.velocity[i - 1]) && !jump)
      reject("velocities", c.velocity[i],
             "increasing (only zero may occur twice, in a table that is not odd)");
  }
  if (c.odd && c.velocity[0] != 0.0)
    reject("velocities", c.velocity[0], "0 at the first point of an odd table");
  if (!c.odd && !(c.velocity.front() <= 0.0 && c.velocity.back() >= 0.0))
    reject("velocities", "must reach from <= 0 to >= 0 in a table that is not odd");
  const double below = curve(c, 0.0, -1).dry, above = curve(c, 0.0, 1).dry;
  if (above < below) reject("forces", above - below, "not falling at the jump at v = 0 (F(0+) >= F(0-))");
}

LawTraits about(const Table& c) {
  LawTraits t;
  const TableLine below = line_at(c, 0.0, -1), above = line_at(c, 0.0, 1);
  t.break_away = {curve(c, 0.0, -1).dry, curve(c, 0.0, 1).dry};
  t.sticks = t.break_away.hi > t.break_away.lo;
  t.reversal_switches = !t.sticks && below.slope != above.slope;
  t.affine = false;
  return t;
}

} // namespace stickslip
