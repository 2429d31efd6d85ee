// Point-to-point moves in minimum time: second order (trapezoid of velocity) and third order (limited jerk).
// One half accelerates from rest to the peak velocity V in 2 build + hold, covering V (2 build + hold) / 2,
// since its velocity is odd about its middle; the other half is its mirror image.
#include "core/error.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "signal/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

// A half with jerk limit that reaches velocity v: hold = 0 if v < a^2 / j, where the acceleration never
// reaches a.
MovePlan half_to(double v, double a, double j) {
  MovePlan p;
  p.velocity = v;
  if (v * j <= a * a) {
    p.build = std::sqrt(v / j);
    p.acceleration = j * p.build;
  } else {
    p.build = a / j;
    p.hold = v / a - p.build;
    p.acceleration = a;
  }
  return p;
}

MovePlan plan_second_order(double d, double v, double a) {
  MovePlan p;
  p.acceleration = a;
  p.velocity = std::min(v, std::sqrt(d * a));
  p.hold = p.velocity / a;
  p.cruise = std::max(0.0, d / p.velocity - p.hold);
  return p;
}

MovePlan plan_third_order(double d, double v, double a, double j) {
  MovePlan p = half_to(v, a, j);
  const double cruise = d / v - p.half();
  if (cruise >= 0.0) {
    p.cruise = cruise;
    return p;
  }
  // No cruise: d = V (2 build + hold). With constant acceleration V^2 / a + V a / j = d, else 2 V sqrt(V / j)
  // = d.
  const double corner = a * a / j; // velocity reached by building up and taking away a at once
  if (d * j * j >= 2.0 * a * a * a) {
    p = half_to(std::max(corner, 2.0 * a * d / (corner + std::sqrt(corner * corner + 4.0 * a * d))), a, j);
  } else {
    p = MovePlan{};
    p.build = std::cbrt(d / (2.0 * j));
    p.acceleration = j * p.build;
    p.velocity = p.acceleration * p.build;
  }
  return p;
}

// Grows a signal by segments of constant jerk, in time from the start of the move; the sign is the caller's.
struct MoveBuilder {
  List<Piece> pieces;
  double time = 0.0, x = 0.0, v = 0.0;

  void add(double duration, double acceleration, double jerk) {
    Piece& p = pieces.emplace_back();
    p.start = p.anchor = time;
    p.c = {x, v, 0.5 * acceleration, jerk / 6.0};
    x += duration * (v + duration * (0.5 * acceleration + duration * jerk / 6.0));
    v += duration * (acceleration + duration * 0.5 * jerk);
    time += duration;
  }
};

} // namespace

MovePlan plan(const Move& m) {
  const double d = std::abs(finite("distance", m.distance));
  positive("velocity", m.velocity);
  positive("acceleration", m.acceleration);
  if (m.jerk) positive("jerk", *m.jerk);
  finite("start", m.start);
  finite("offset", m.offset);
  if (d == 0.0) return {};
  return m.jerk ? plan_third_order(d, m.velocity, m.acceleration, *m.jerk)
                : plan_second_order(d, m.velocity, m.acceleration);
}

Signal move_signal(const Move& m) {
  const MovePlan p = plan(m);
  const double sign = m.distance < 0.0 ? -1.0 : 1.0, d = std::abs(m.distance);
  const double total = p.duration(), jerk = m.jerk.value_or(0.0);
  // Segments shorter than the resolution of time are no segments.
  const double shortest = tolerance::last_digits * (total + std::abs(m.start));

  MoveBuilder first;
  if (p.build > shortest) first.add(p.build, 0.0, jerk);
  if (p.hold > shortest) first.add(p.hold, p.acceleration, 0.0);
  if (p.build > shortest) first.add(p.build, p.acceleration, -jerk);

  Signal s = constant_signal(m.offset);
  const auto append = [&](Piece piece) {
    for (double& c : piece.c) c *= sign;
    piece.c[0] += m.offset;
    piece.start += m.start;
    piece.anchor += m.start;
    if (piece.start > s.pieces.back().start) s.pieces.push_back(piece);
  };
  for (const Piece& piece : first.pieces) append(piece);
  if (p.cruise > shortest) {
    Piece cruise;
    cruise.start = cruise.anchor = p.half();
    cruise.c = {0.5 * p.velocity * p.half(), p.velocity};
    append(cruise);
  }
  // The second half is the first one reversed in time, x(t) = d - x(total - t): it ends at d without rounding. Without
  // a cruise the jerk that reduces the acceleration continues through the middle: one segment.
  const bool through = m.jerk && p.cruise <= shortest && !first.pieces.empty();
  for (Index i = first.pieces.size() - (through ? 1 : 0); i-- > 0;) {
    Piece mirror = first.pieces[i];
    const double end = i + 1 < first.pieces.size() ? first.pieces[i + 1].start : first.time;
    mirror.start = total - end;
    mirror.anchor = total - mirror.anchor;
    for (Index k = 0; k < std::ssize(mirror.c); k += 2) mirror.c[k] = -mirror.c[k];
    mirror.c[0] += d;
    append(mirror);
  }
  Piece& rest = s.pieces.emplace_back(); // alone, a step, if time cannot resolve the move at all
  rest.start = m.start + total;
  rest.c[0] = m.offset + m.distance;
  normalise(s);
  return s;
}

} // namespace stickslip
