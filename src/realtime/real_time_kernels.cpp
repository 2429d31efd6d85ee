// What every step of the fixed-step form evaluates.
#include "realtime/real_time_plan.hpp"

#include <algorithm>
#include <cmath>

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

Force peaked(const CurvedForce& c, Force f, double peak, double& scale) {
  // As with_peak(): 1 at v = 0, 0 far away.
  scale = (peak * c.static_level - c.kinetic) / (c.static_level - c.kinetic);
  const double level = c.kinetic + scale * (std::abs(f.dry) - c.kinetic);
  return {std::copysign(level, f.dry), f.viscous};
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

CurvedValue evaluate(const CurvedForce& c, const double* xs) {
  CurvedValue out;
  out.u = c.u(xs);
  out.load = c.load(xs);
  if (c.kind == CurvedForce::Kind::spring) {
    out.f = c.stiffness * out.load * out.u;
    out.by_u = c.stiffness * out.load;
    out.by_load = c.stiffness * out.u;
    return out;
  }
  Force f;
  Slopes d;
  if (c.stribeck != nullptr) {
    const Levels& l = c.stribeck->levels;
    const double s = c.mode * out.u, u = s / l.stribeck_velocity;
    if (l.shape == 2.0 && l.form == StribeckForm::exponential && c.kind == CurvedForce::Kind::dry) {
      // the published curve; exp(-u^2) underflows to 0 as it should
      const double drop = (l.static_level - l.kinetic) * std::exp(-u * u);
      f.dry = c.mode * (l.kinetic + drop);
      d.dry_v = -2.0 * u / l.stribeck_velocity * drop;
    } else {
      const ForceOf<Dual> both = curve(*c.stribeck, Dual(out.u, 1.0, 0.0), c.mode);
      f = {both.dry.x, both.viscous.x};
      d = {both.dry.dv, both.viscous.dv};
    }
  } else {
    f = evaluate(*c.law, out.u, c.mode, c.branch, nullptr, nullptr);
    d = linearise(*c.law, out.u, c.mode, c.branch, nullptr, nullptr, nullptr, nullptr);
  }
  if (c.peak >= 0) {
    double scale = 1.0;
    f = peaked(c, f, xs[c.peak], scale);
    d.dry_v *= scale;
  }
  if (c.kind != CurvedForce::Kind::viscous) {
    out.f = out.load * f.dry;
    out.by_u = out.load * d.dry_v;
    out.by_load = f.dry;
  }
  if (c.kind != CurvedForce::Kind::dry) {
    out.f += f.viscous;
    out.by_u += d.viscous_v;
  }
  return out;
}

} // namespace stickslip
