#include "realtime/held_map.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

HeldMap held_map(const Matrix& A, const Matrix& S, double h) {
  const Index n = A.rows(), m = S.cols(), all = n + 2 * m;
  Matrix Z = Matrix::Zero(all, all); // of (x, s, d) with s' = d / h
  Z.topLeftCorner(n, n) = h * A;
  Z.block(0, n, n, m) = h * S;
  Z.block(n, n + m, m, m).setIdentity();
  const double size = Z.cwiseAbs().colwise().sum().maxCoeff();
  const int halvings = size > 0.5 ? static_cast<int>(std::ceil(std::log2(size / 0.5))) : 0;
  Z *= std::ldexp(1.0, -halvings);
  // At norm 0.5 the first term left out is 0.5^19 / 19! < 2e-23.
  Matrix E = Matrix::Identity(all, all), term = E;
  for (int k = 1; k <= 18; ++k) {
    term = term * Z / k;
    E += term;
  }
  for (int k = 0; k < halvings; ++k) E = Matrix(E * E);
  return {E.topLeftCorner(n, n), E.block(0, n, n, m), E.block(0, n + m, n, m)};
}

} // namespace stickslip
