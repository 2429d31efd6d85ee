#include "core/radau.hpp"

#include "core/double_double.hpp"
#include "core/small_lu.hpp"

#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

using Wide = DoubleDouble;

struct LegendrePair {
  Wide value, slope; // of P_s - P_{s-1}
};

LegendrePair legendre_difference(int s, Wide x) {
  Wide before = 1.0, p = x, slope_before = 0.0, slope = 1.0;
  for (int n = 2; n <= s; ++n) {
    const double k = n;
    const Wide next = ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k;
    const Wide slope_next = slope_before + (2.0 * k - 1.0) * p;
    before = p;
    slope_before = slope;
    p = next;
    slope = slope_next;
  }
  return {p - before, slope - slope_before};
}

template <int s> Radau<s> compute() {
  // The nodes are the zeros of P_s - P_{s-1} on [-1, 1], among them 1; Newton from Chebyshev points.
  Wide c[s];
  for (int i = 0; i < s; ++i) {
    Wide x = -std::cos(std::numbers::pi * (2 * i + 1) / (2 * s - 1));
    for (int k = 0; k < 12; ++k) {
      const LegendrePair f = legendre_difference(s, x);
      x -= f.value / f.slope;
    }
    c[i] = 0.5 * (1.0 + x);
  }
  c[s - 1] = 1.0;
  // Polynomials up to degree s-1 are integrated exactly: sum_j a_ij c_j^(k-1) = c_i^k / k.
  Wide powers[s * s], integrals[s * s];
  for (int j = 0; j < s; ++j)
    for (int k = 0; k < s; ++k) {
      powers[k + j * s] = k > 0 ? powers[k - 1 + j * s] * c[j] : Wide(1.0);
      integrals[k + j * s] = powers[k + j * s] * c[j] / (k + 1.0);
    }
  int order[s];
  lu_factor<s>(powers, s, order);
  Radau<s> method;
  for (int i = 0; i < s; ++i) {
    Wide row[s];
    lu_solve<s>(powers, s, order, integrals + i * s, row);
    method.c(i) = static_cast<double>(c[i]);
    for (int j = 0; j < s; ++j) method.a(i, j) = static_cast<double>(row[j]);
  }
  method.aa = method.a * method.a;
  return method;
}

} // namespace

template <int S> const Radau<S>& radau() {
  static const Radau<S> method = compute<S>();
  return method;
}

template const Radau<3>& radau<3>();
template const Radau<5>& radau<5>();

} // namespace stickslip
