#include "sensitivity/cotangents.hpp"

namespace stickslip {

RegimeCotangents::RegimeCotangents(const Regime& r) {
  const Matrix &x = r.affine ? r.Ax : r.A, &s = r.affine ? r.As : r.S;
  A = Matrix::Zero(x.rows(), x.cols());
  B = Matrix::Zero(s.rows(), s.cols());
  if (!r.affine) E = Matrix::Zero(r.E.rows(), r.E.cols());
  if (r.affine) Gx = Matrix::Zero(r.Gx.rows(), r.Gx.cols()), Gs = Matrix::Zero(r.Gs.rows(), r.Gs.cols());
}

RegimeCotangents& Cotangents::of(const Regime& regime) {
  if (last == &regime) return *found;
  last = &regime;
  found = &regimes.try_emplace(&regime, regime).first->second;
  return *found;
}

} // namespace stickslip
