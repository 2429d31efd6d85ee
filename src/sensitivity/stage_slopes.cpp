#include "sensitivity/stage_slopes.hpp"

#include "friction/law.hpp"

namespace stickslip {

void StageSlopes::find(const RegimeSlopes& r, double frame, double t, const Vector& x) {
  regime = &r;
  const Regime& of = *r.regime;
  whole = !r.curves;
  if (whole) return machine.slopes(of.modes, frame, t, x.data(), J);
  const double* const s = machine.signals(frame, t).data();
  of_force.resize(of.sliding.size());
  for (Index k = 0; k < of.sliding.size(); ++k) {
    const Friction& p = machine.system().friction[of.sliding[k]];
    const FrictionMode& mode = of.modes.friction[of.sliding[k]];
    const double N = s[p.load];
    const ForceOf<Dual<1>> f = evaluate(p.law, Dual<1>::variable(relative_velocity(p, x.data(), s), 0),
                                        mode.force_side(), mode.branch, nullptr, nullptr, Dual<1>(N));
    of_force(k) = f.dry.d[0] * N + f.viscous.d[0];
  }
}

double StageSlopes::products() const {
  return regime->curves ? static_cast<double>(regime->A.size() + regime->by_velocity.size())
                        : static_cast<double>(J.size());
}

const Matrix& StageSlopes::matrix() {
  if (whole) return J;
  J = regime->regime->A;
  for (const RegimeSlopes::Slope& e : regime->by_velocity)
    J(e.row, e.column) += e.factor * of_force(e.element);
  whole = true;
  return J;
}

void StageSlopes::multiply(const Tangents& V, Tangents& out) const {
  if (!regime->curves) {
    out.noalias() = J.lazyProduct(V);
    return;
  }
  out.setZero(V.rows(), V.cols());
  const Index np = V.cols();
  const double* const from = V.data();
  double* const to = out.data();
  const auto add = [&](Index row, Index column, double f) {
    for (Index j = 0; j < np; ++j) to[row * np + j] += f * from[column * np + j];
  };
  for (const Entry& e : regime->A) add(e.row, e.column, e.value);
  for (const RegimeSlopes::Slope& e : regime->by_velocity)
    add(e.row, e.column, e.factor * of_force(e.element));
}

void StageSlopes::multiply_transposed(const Vector& v, Vector& out) const {
  if (!regime->curves) {
    out.noalias() = J.transpose() * v;
    return;
  }
  out.setZero(v.size());
  for (const Entry& e : regime->A) out(e.column) += e.value * v(e.row);
  for (const RegimeSlopes::Slope& e : regime->by_velocity)
    out(e.column) += e.factor * of_force(e.element) * v(e.row);
}

} // namespace stickslip
