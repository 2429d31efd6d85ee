// Polynomials over one step: x(t0 + tau) = sum_k C.col(k) theta^k with theta = tau / h in [0, 1]. This is the
// one form in which every flow (Taylor, explicit pair, Rosenbrock) hands over its dense output, so that
// sampling, event search and energy audit do not depend on the flow. Storage belongs to the caller; nothing here
// allocates.
#pragma once

#include "core/types.hpp"

namespace stickslip::polynomial {

// Value of the scalar polynomial sum_k c[k stride] theta^k, by Horner's rule.
inline double value(const double* c, Index degree, double theta, Index stride = 1) {
  double p = c[degree * stride];
  for (Index k = degree - 1; k >= 0; --k) p = p * theta + c[k * stride];
  return p;
}

// The same for n polynomials at once, whose coefficients stand column by column. Few of them go one by one: as
// vectors they would not fill one.
inline void values(const double* C, Index n, Index columns, double theta, double* x) {
  constexpr Index few = 8;
  if (n < few) {
    for (Index i = 0; i < n; ++i) x[i] = value(C + i, columns - 1, theta, n);
    return;
  }
  const double* column = C + (columns - 1) * n;
  for (Index i = 0; i < n; ++i) x[i] = column[i];
  for (Index k = columns - 2; k >= 0; --k) {
    column -= n;
    for (Index i = 0; i < n; ++i) x[i] = x[i] * theta + column[i];
  }
}

// The polynomial on [from, 1] in a variable that runs from 0 to 1 there (Horner's scheme, again and again).
inline void restrict_to_end(double* c, Index degree, double from) {
  for (Index i = 0; i < degree; ++i)
    for (Index k = degree - 1; k >= i; --k) c[k] += from * c[k + 1];
  double power = 1.0;
  for (Index k = 0; k <= degree; ++k, power *= 1.0 - from) c[k] *= power;
}

struct ValueSlope {
  double value = 0.0, slope = 0.0;
};

// Value and derivative with respect to theta. Even and odd powers run as separate chains in theta^2, which
// halves the latency of Horner's rule at the degrees that Taylor flows have.
inline ValueSlope value_slope(const double* c, Index degree, double theta) {
  const double s = theta * theta;
  double even = 0.0, odd = 0.0, even_s = 0.0, odd_s = 0.0; // the last two are derivatives with respect to s
  Index k = degree;
  if (k % 2 == 0) {
    even = c[k];
    --k;
  }
  for (; k >= 1; k -= 2) {
    odd_s = odd_s * s + odd;
    odd = odd * s + c[k];
    even_s = even_s * s + even;
    even = even * s + c[k - 1];
  }
  return {even + theta * odd, odd + 2.0 * theta * (even_s + theta * odd_s)};
}

} // namespace stickslip::polynomial
