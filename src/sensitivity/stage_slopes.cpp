#include "sensitivity/stage_slopes.hpp"

#include "friction/law.hpp"

#include <algorithm>
#include <array>

namespace stickslip {

namespace {

// Slopes of the force, then of the rate of each state, by velocity and states; returns their end.
template <int K>
double* slopes_of_law(const Friction& p, const FrictionMode& mode, double v, double N, const double* x,
                      double* out) {
  const Index n = p.traits.states;
  std::array<Dual<K>, K> z, rate;
  for (Index i = 0; i < n; ++i) z[i] = Dual<K>::variable(x[p.states + i], 1 + i);
  const ForceOf<Dual<K>> f = evaluate(p.law, Dual<K>::variable(v, 0), mode.force_side(), mode.branch,
                                      z.data(), rate.data(), Dual<K>(N));
  for (Index j = 0; j <= n; ++j) *out++ = f.dry.d[j] * N + f.viscous.d[j];
  for (Index i = 0; i < n; ++i) out = std::copy_n(rate[i].d.begin(), 1 + n, out);
  return out;
}

} // namespace

void StageSlopes::find(const RegimeSlopes& r, double frame, double t, const Vector& x) {
  regime = &r;
  const Regime& of = *r.regime;
  whole = !r.laws.exist;
  if (whole) return machine.slopes(of.modes, frame, t, x.data(), J);
  const double* const s = machine.signals(frame, t).data();
  of_laws.resize(r.laws.count);
  double* out = of_laws.data();
  for (const Index i : of.sliding) {
    const Friction& p = machine.system().friction[i];
    const double v = relative_velocity(p, x.data(), s), N = s[p.load];
    const auto add = [&]<int K> { out = slopes_of_law<K>(p, of.modes.friction[i], v, N, x.data(), out); };
    if (p.traits.states == 0)
      add.template operator()<1>();
    else if (p.traits.states == 1)
      add.template operator()<2>();
    else
      add.template operator()<element_seeds>();
  }
}

double StageSlopes::products() const {
  return regime->laws.exist ? static_cast<double>(regime->A.size() + regime->laws.entries.size())
                            : static_cast<double>(J.size());
}

const Matrix& StageSlopes::matrix() {
  if (whole) return J;
  J = regime->regime->A;
  for (const RegimeSlopes::Slope& e : regime->laws.entries) J(e.row, e.column) += e.factor * of_laws(e.which);
  whole = true;
  return J;
}

void StageSlopes::multiply(const Tangents& V, Tangents& out) const {
  if (!regime->laws.exist) {
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
  for (const RegimeSlopes::Slope& e : regime->laws.entries) add(e.row, e.column, e.factor * of_laws(e.which));
}

void StageSlopes::multiply_transposed(const Vector& v, Vector& out) const {
  if (!regime->laws.exist) {
    out.noalias() = J.transpose() * v;
    return;
  }
  out.setZero(v.size());
  for (const Entry& e : regime->A) out(e.column) += e.value * v(e.row);
  for (const RegimeSlopes::Slope& e : regime->laws.entries)
    out(e.column) += e.factor * of_laws(e.which) * v(e.row);
}

} // namespace stickslip
