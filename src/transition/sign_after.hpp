// What a guard does just after an instant, from the first coefficients of its Taylor series.
#pragma once

#include "core/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stickslip {

inline constexpr int series_terms = 6;

// The last digits of an instant are not known: terms that higher ones outgrow within these are zero. h: what is known of
// the instant.
template <class Row> void drop_passing_terms(Row& row, double h) {
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    double power = h;
    for (std::size_t j = i + 1; j < row.size() && row[i] != 0.0; ++j, power *= h)
      if (std::abs(row[i]) < power * std::abs(row[j])) row[i] = 0.0;
  }
}

// Of a guard just after an instant.
struct SignAfter {
  int sign = 0;                 // +1 it becomes positive, -1 negative, 0 it stays zero as far as can be told
  std::int8_t order = INT8_MAX; // of the coefficient that tells; those before it are zero
};

// term(k): the k-th coefficient, asked for in
// rising order and only as far as it takes to tell; size: of the guard; t: the instant, whose last digits are not
// known.
template <class Term> SignAfter sign_after(Term&& term, double size, double time_scale, double t) {
  const auto at = [](double value, int order) {
    return SignAfter{value > 0.0 ? 1 : -1, static_cast<std::int8_t>(order)};
  };
  const double tiny = tolerance::rest * size;
  const double unresolved = tolerance::last_digits * std::abs(t) / time_scale;
  // Signals that pass zero may have terms of their own size; near t = 0 these are the coarser.
  const double passing = std::max(unresolved, tolerance::last_digits);
  const double value = term(0);
  double power = time_scale, now = term(1) * power;
  if (std::abs(value) > std::max(tiny, passing * std::abs(now))) return at(value, 0);
  for (int k = 1; k < series_terms;
       ++k, power *= time_scale, now = k < series_terms ? term(k) * power : 0.0) {
    if (std::abs(now) <= tiny) continue;
    if (k > 1) return at(now, k);
    // A slope must be told from what the last digits of t make of the curvature, and from what rounding leaves of
    // it at the top of a touch: it lifts the guard by c1^2/4c2.
    const double bend = term(2) * power * time_scale;
    const bool rounding = std::abs(now) <= 2.0 * unresolved * std::abs(bend);
    const bool touch = now > 0.0 && bend < 0.0 && now * now < -4.0 * bend * tolerance::rounding * size;
    if (!rounding && !touch) return at(now, k);
  }
  return {};
}

} // namespace stickslip
