#include "realtime/mapped_step.hpp"

#include "core/small_lu.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

MappedStep::MappedStep(Index states, Index signals, Index most_curved)
    : nx(states), nv(signals), values(most_curved), K(most_curved * most_curved), d(most_curved),
      rhs(most_curved), order(most_curved), stiff(most_curved) {}

void MappedStep::find_forces(const RealTimePlan& plan, StepPoint& a) noexcept {
  if (known) return;
  for (Index j = 0; j < plan.curved.size(); ++j) {
    values[j] = evaluate(plan.curved[j], a.x);
    a.f[j] = values[j].f;
  }
  known = true;
}

void MappedStep::advance(const RealTimePlan& plan, StepPoint& a, StepPoint& b) noexcept {
  const Index m = plan.curved.size();
  if (m > 0) find_forces(plan, a);
  plan.step(a.change, b.x);
  for (Index j = 0; j < nv; ++j) b.s[j] = a.s[j] + a.change[j];
  if (m == 0) return;
  if (m == 1 && std::isfinite(values[0].by_u))
    add_one_force(plan, b);
  else
    add_forces(plan, a, b);
}

// Change of the step by the only nonlinear force.
void MappedStep::add_one_force(const RealTimePlan& plan, StepPoint& b) noexcept {
  const CurvedValue& v = values[0];
  const CurvedForce& c = plan.curved[0];
  double gain = v.by_u * plan.u_end.coeff(0) + v.by_load * plan.load_end.coeff(0);
  const double* column = plan.end.data();
  if (gain < -1.0) {
    gain = v.by_u * plan.u_through.coeff(0) + v.by_load * plan.load_through.coeff(0);
    column = plan.through.data();
  }
  const double more = gain > 0.5
                          ? 0.0 // grows faster than the step: explicit
                          : (v.by_u * (c.u(b.x) - v.u) + v.by_load * (c.load(b.x) - v.load)) / (1.0 - gain);
  for (Index i = 0; i < nx; ++i) b.x[i] += column[i] * more;
  b.f[0] = v.f + more;
}

// The same for several forces that depend on each other: d = slopes . (change of u and load), which itself depends on
// d.
void MappedStep::add_forces(const RealTimePlan& plan, const StepPoint& a, StepPoint& b) noexcept {
  const Index m = plan.curved.size();
  linearise(plan, b);
  for (Index j = 0; j < m; ++j) {
    const Matrix& U = stiff[j] ? plan.u_through : plan.u_end;
    const Matrix& L = stiff[j] ? plan.load_through : plan.load_end;
    for (Index i = 0; i < m; ++i) {
      const CurvedValue& v = values[i];
      K[j * m + i] = (i == j ? 1.0 : 0.0) - v.by_u * U(i, j) - v.by_load * L(i, j);
    }
  }
  if (lu_factor(K.data(), m, order.data()))
    lu_solve(K.data(), m, order.data(), rhs.data(), d.data());
  else
    std::fill_n(d.begin(), m, 0.0);
  for (Index j = 0; j < m; ++j) {
    const double* column = (stiff[j] ? plan.through : plan.end).data() + j * nx;
    for (Index i = 0; i < nx; ++i) b.x[i] += column[i] * d[j];
    b.f[j] = a.f[j] + d[j];
  }
}

// Changes of the forces along the map alone, and those forces that damp faster than the step.
void MappedStep::linearise(const RealTimePlan& plan, const StepPoint& b) noexcept {
  for (Index i = 0; i < plan.curved.size(); ++i) {
    const CurvedForce& c = plan.curved[i];
    CurvedValue& v = values[i];
    const double du = c.u(b.x) - v.u, dN = c.load(b.x) - v.load;
    const double gain = v.by_u * plan.u_end(i, i) + v.by_load * plan.load_end(i, i);
    stiff[i] = gain < -1.0;
    if (gain > 0.5) v.by_u = v.by_load = 0.0; // grows faster than the step: explicit
    rhs[i] = v.by_u * du + v.by_load * dN;
    if (!std::isfinite(v.by_u)) { // a vertical tangent at v = 0 has no finite slope; the force is finite
      rhs[i] = evaluate(c, b.x).f - v.f;
      v.by_u = v.by_load = 0.0;
    }
  }
}

} // namespace stickslip
