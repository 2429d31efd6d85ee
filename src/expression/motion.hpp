// What is smooth in a machine: M(q, t) q'' = h(q, q', t) + sum of w_i(q, t) lambda_i, with one row for each constraint,
// whose rate gamma_i = w_i'q' + w^_i is linear in the velocities and has the rate gamma_i' = w_i'q'' + zeta_i. From M, h
// and the rows as formulas follow all other terms by differentiation, and so do the derivatives of the accelerations
// and of the forces lambda.
#pragma once

#include "expression/evaluate.hpp"

#include <string>

namespace stickslip {

enum class Row : std::uint8_t {
  gap, // g(q, t): gamma is its rate
  rate // gamma(q, q', t) itself, such as the sliding velocity of two bodies, which needs no potential
};

// As they are given, each on a tape of its own with inputs "<coordinate>.position", "<coordinate>.velocity" and "time".
struct SmoothTerms {
  List<std::string> coordinates;
  Tape mass;  // the lower triangle, row by row; without velocities
  Tape force; // h, one for each coordinate
  Tape rows;  // one for each constraint
  List<Row> kinds;
};

// All of them on one tape, so that they share their conditions: M, h, rows.
Tape joined(const SmoothTerms& terms);

// Within one branch, smooth. Inputs of both tapes are positions, velocities and time; `slopes` then reads the
// accelerations and the forces lambda of all rows as well.
struct Motion {
  Index coordinates = 0, rows = 0;

  // M (lower triangle, row by row), h; then for each row g or 0, gamma, zeta, w.
  Tape values;
  Index at_force() const { return coordinates * (coordinates + 1) / 2; }
  Index at_row(Index i) const { return at_force() + coordinates + i * (3 + coordinates); }

  // The derivatives by (q, q', t), row by row, of r = M q'' - h - sum of w_i lambda_i with q'' and lambda held, of
  // gamma_i' = w_i'q'' + zeta_i likewise, and of gamma_i. With N = [M -W; W' 0] those of (q'', lambda) are -N^-1 times
  // those of (r, gamma').
  Tape slopes;
  Index width() const { return 2 * coordinates + 1; }
  Index at_residual(Index k) const { return k * width(); }
  Index at_row_acceleration(Index i) const { return (coordinates + i) * width(); }
  Index at_row_rate(Index i) const { return (coordinates + rows + i) * width(); }

  // Values whose signs end the branch, those of `joined` that matter in it; inputs as of `values`.
  Tape conditions;
};

// Signs of the conditions of `joined(terms)`; null where it has none. Throws where M reads velocities or a row's rate
// is not linear in them.
Motion motion(const SmoothTerms& terms, const Tape& joined, const Sign* signs);

} // namespace stickslip
