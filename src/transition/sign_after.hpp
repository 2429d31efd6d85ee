// Sign of a guard just after an instant, from the first coefficients of its Taylor series.
#pragma once

#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stickslip {

inline constexpr int series_terms = 8;

// Number of terms of a quantity whose first term that depends on forces is of this order. A term of a force shows one order
// later in a velocity, and two orders later in a gap: no sign of a force is known whose effect on the motion is not.
inline constexpr int known_terms(int first_by_forces) {
  return series_terms - 2 + std::max(first_by_forces, 0);
}

// The time of an instant is known to rounding: sets terms to zero that are smaller than higher terms within this error, but
// for last terms that grow: they belong to a motion faster than the error, of which they say nothing.
// h: error of the time.
template <class Row> void drop_passing_terms(Row& row, double h) {
  for (std::size_t i = row.size() - 1;
       i > 0 && row[i - 1] != 0.0 && std::abs(row[i - 1]) < h * std::abs(row[i]); --i)
    row[i] = 0.0;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    double power = h;
    for (std::size_t j = i + 1; j < row.size() && row[i] != 0.0; ++j, power *= h)
      if (std::abs(row[i]) < power * std::abs(row[j])) row[i] = 0.0;
  }
}

// Sign of a guard just after an instant.
struct SignAfter {
  int sign = 0;                 // +1 it becomes positive, -1 negative, 0 zero to the order of the series
  std::int8_t order = INT8_MAX; // of the first nonzero coefficient
};

// term(k): the k-th of so many known coefficients, requested in rising order up to the first nonzero one; size: of the
// guard; t: the instant, known to rounding.
template <class Term>
SignAfter sign_after(Term&& term, double size, double time_scale, double t, int terms = series_terms) {
  const auto at = [](double value, int order) {
    return SignAfter{value > 0.0 ? 1 : -1, static_cast<std::int8_t>(order)};
  };
  const double tiny = tolerance::residual * size;
  const double unresolved = tolerance::last_digits * std::abs(t) / time_scale;
  // Terms of signals that pass zero may be as large as the signals; near t = 0 this error is the larger one.
  const double passing = std::max(unresolved, tolerance::last_digits);
  const double value = term(0);
  double power = time_scale, now = term(1) * power;
  if (std::abs(value) > std::max(tiny, passing * std::abs(now))) return at(value, 0);
  for (int k = 1; k < terms; ++k, power *= time_scale, now = k < terms ? term(k) * power : 0.0) {
    if (std::abs(now) <= tiny) continue;
    if (k > 1) return at(now, k);
    // A slope counts only above the change of slope within the error of t, and above the rounding error at a grazing
    // maximum, which lifts the guard by c1^2/4c2.
    const double bend = term(2) * power * time_scale;
    const bool rounding = std::abs(now) <= 2.0 * unresolved * std::abs(bend);
    const bool touch = now > 0.0 && bend < 0.0 && now * now < -4.0 * bend * tolerance::rounding * size;
    if (!rounding && !touch) return at(now, k);
  }
  return {};
}

} // namespace stickslip
