// Functions that every step of the fixed-step form evaluates.
#include "dynamics/element_force.hpp"
#include "realtime/real_time_plan.hpp"

#include <algorithm>

namespace stickslip {

namespace {

template <int N> void combine(const double* d, Index, Index width, const double* u, double* y) {
  using Column = Eigen::Array<double, N, 1>;
  Column sum = Eigen::Map<const Column>(d);
  for (const double* const end = u + width; u != end; ++u) {
    d += N;
    sum += Eigen::Map<const Column>(d) * *u;
  }
  Eigen::Map<Column> out(y);
  out = sum;
}

void combine_any(const double* d, Index height, Index width, const double* u, double* y) {
  for (Index i = 0; i < height; ++i) y[i] = d[i];
  for (Index j = 0; j < width; ++j) {
    d += height;
    const double f = u[j];
    for (Index i = 0; i < height; ++i) y[i] += d[i] * f;
  }
}

template <class L> CurvedValue slides(const L& law, const CurvedForce& c, const double* xs) {
  using Slope = Dual<1>; // by u
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  const Slope peak = c.element->peak >= 0 ? xs[c.element->peak] : 1.0;
  const ForceOf<Slope> f =
      sliding_force(law, *c.element, c.mode, c.branch, Slope::variable(out.u, 0), peak, nullptr, nullptr);
  if (c.kind != CurvedForce::Kind::viscous) {
    out.f = out.load * f.dry.x;
    out.by_u = out.load * f.dry.d[0];
    out.by_load = f.dry.x;
  }
  if (c.kind != CurvedForce::Kind::dry) {
    out.f += f.viscous.x;
    out.by_u += f.viscous.d[0];
  }
  return out;
}

CurvedValue spring(const CurvedForce& c, const double* xs) {
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  out.by_u = presliding_stiffness(*c.element, out.load);
  out.by_load = presliding_stiffness(*c.element, out.u);
  out.f = out.by_u * out.u;
  return out;
}

CurvedValue delayed(const CurvedForce& c, const double* xs) {
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  const double peak = c.element->peak >= 0 ? xs[c.element->peak] : 1.0;
  out.by_load = delayed_dry(c.element->law, *c.element, c.mode, out.u, peak);
  out.f = out.load * out.by_load;
  return out;
}

} // namespace

SmallMap::SmallMap(const Vector& constant, const Matrix& columns) {
  const Index rows = constant.size();
  height = std::max<Index>(2, rows + rows % 2);
  width = columns.cols();
  Matrix all = Matrix::Zero(height, width + 1);
  all.col(0).head(rows) = constant;
  all.topRightCorner(rows, width) = columns;
  data.assign(all.data(), all.data() + all.size());
  constexpr Kernel known[] = {combine<2>,  combine<4>,  combine<6>,  combine<8>,
                              combine<10>, combine<12>, combine<14>, combine<16>};
  run = height <= 16 ? known[height / 2 - 1] : combine_any;
}

void Projection::operator()(double* xs, double* values) const {
  bool any = false;
  for (Index k = 0; k < rows.size(); ++k) {
    values[k] = rows[k](xs);
    any = any || values[k] != 0.0;
  }
  if (!any) return;
  const Index nx = change.rows();
  for (Index k = 0; k < rows.size(); ++k)
    for (Index i = 0; i < nx; ++i) xs[i] += change(i, k) * values[k];
}

CurvedValue evaluate(const CurvedForce& c, const double* xs) {
  if (c.kind == CurvedForce::Kind::spring) return spring(c, xs);
  if (c.kind == CurvedForce::Kind::delayed) return delayed(c, xs);
  return c.stribeck != nullptr ? slides(*c.stribeck, c, xs) : slides(c.element->law, c, xs);
}

} // namespace stickslip
