#include "friction/collocation.hpp"

#include "core/small_lu.hpp"

#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

using Wide = long double;

struct LegendrePair {
  Wide value, slope; // of P_s - P_{s-1}
};

LegendrePair legendre_difference(int s, Wide x) {
  Wide before = 1.0L, p = x, slope_before = 0.0L, slope = 1.0L;
  for (int n = 2; n <= s; ++n) {
    const Wide next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
    const Wide slope_next = slope_before + (2 * n - 1) * p;
    before = p;
    slope_before = slope;
    p = next;
    slope = slope_next;
  }
  return {p - before, slope - slope_before};
}

Radau compute() {
  constexpr int s = Radau::stages;
  // The nodes are the zeros of P_s - P_{s-1} on [-1, 1], among them 1; Newton from Chebyshev points.
  Wide c[s];
  for (int i = 0; i < s; ++i) {
    Wide x = -std::cos(std::numbers::pi_v<Wide> * (2 * i + 1) / (2 * s - 1));
    for (int k = 0; k < 60; ++k) {
      const LegendrePair f = legendre_difference(s, x);
      x -= f.value / f.slope;
    }
    c[i] = 0.5L * (1.0L + x);
  }
  c[s - 1] = 1.0L;
  // Polynomials up to degree s-1 are integrated exactly: sum_j a_ij c_j^(k-1) = c_i^k / k.
  Wide powers[s * s];
  for (int j = 0; j < s; ++j)
    for (int k = 0; k < s; ++k) powers[k + j * s] = std::pow(c[j], static_cast<Wide>(k));
  int order[s];
  lu_factor<s>(powers, s, order);
  Radau method;
  for (int i = 0; i < s; ++i) {
    Wide integrals[s], row[s];
    for (int k = 0; k < s; ++k) integrals[k] = std::pow(c[i], static_cast<Wide>(k + 1)) / (k + 1);
    lu_solve<s>(powers, s, order, integrals, row);
    method.c(i) = static_cast<double>(c[i]);
    for (int j = 0; j < s; ++j) method.a(i, j) = static_cast<double>(row[j]);
  }
  return method;
}

} // namespace

const Radau& radau() {
  static const Radau method = compute();
  return method;
}

} // namespace stickslip
