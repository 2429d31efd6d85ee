#include "realtime/held_map.hpp"

#include "core/linalg.hpp"

namespace stickslip {

HeldMap held_map(const Matrix& A, const Matrix& S, double h) {
  const Index n = A.rows(), m = S.cols(), all = n + 2 * m;
  Matrix Z = Matrix::Zero(all, all); // of (x, s, d) with s' = d / h
  Z.topLeftCorner(n, n) = h * A;
  Z.block(0, n, n, m) = h * S;
  Z.block(n, n + m, m, m).setIdentity();
  const Matrix E = linalg::exponential(Z);
  return {E.topLeftCorner(n, n), E.block(0, n, n, m), E.block(0, n + m, n, m)};
}

} // namespace stickslip
