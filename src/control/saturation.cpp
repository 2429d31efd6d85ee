// Saturation modes of continuous blocks. The raw output u = C z + D w has the same formula in every mode; only the
// rates of the states differ. With s = row of the integral in A z + B w and sigma = +1 at the upper limit, -1 at the
// lower one:
//   the rate of u_raw if the integral runs          u'_on   = C (A z + B w) + D w'
//   the rate of u_raw if it is held                 u'_held = u'_on - C_i s
// On the limit, sigma u'_on < 0 leads back inside, sigma u'_held > 0 outside; in between the two vector
// fields oppose each other and the solution in Filippov's sense stays on the limit: the integral follows.
#include "control/block.hpp"
#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <cmath>

namespace stickslip {

namespace {

using Trigger = BlockGuard::Trigger;

int side(Saturation m) {
  return m == Saturation::free ? 0 : (static_cast<int>(m) > 0 ? 1 : -1);
}
bool frozen(Saturation m) {
  return m == Saturation::high_frozen || m == Saturation::low_frozen;
}
bool following(Saturation m) {
  return m == Saturation::high_following || m == Saturation::low_following;
}

Saturation moving(int sigma) {
  return sigma > 0 ? Saturation::high : Saturation::low;
}
Saturation holding(int sigma) {
  return sigma > 0 ? Saturation::high_frozen : Saturation::low_frozen;
}
Saturation on_limit(int sigma) {
  return sigma > 0 ? Saturation::high_following : Saturation::low_following;
}

double limit(const Block& b, Index output, int sigma) {
  return sigma > 0 ? b.hi[output] : b.lo[output];
}

BlockGuard make(Trigger trigger, const Block& b) {
  BlockGuard g;
  g.trigger = trigger;
  g.z = Vector::Zero(b.A.rows());
  g.w = Vector::Zero(b.D.cols());
  g.wdot = Vector::Zero(b.D.cols());
  return g;
}

// sign * (u_raw - bound)
BlockGuard beyond(Trigger trigger, const Block& b, Index output, double sign, double bound) {
  BlockGuard g = make(trigger, b);
  g.z = sign * b.C.row(output).transpose();
  g.w = sign * b.D.row(output).transpose();
  g.offset = -sign * bound;
  return g;
}

// sign * s
BlockGuard integral_rate(Trigger trigger, const Block& b, double sign) {
  BlockGuard g = make(trigger, b);
  g.z = sign * b.A.row(b.integrator).transpose();
  g.w = sign * b.B.row(b.integrator).transpose();
  return g;
}

// sign * rate of u_raw, with the integral going on or held
BlockGuard raw_rate(Trigger trigger, const Block& b, Index output, double sign, bool held) {
  BlockGuard g = make(trigger, b);
  g.z = sign * (b.C.row(output) * b.A).transpose();
  g.w = sign * (b.C.row(output) * b.B).transpose();
  g.wdot = sign * b.D.row(output).transpose();
  if (held) {
    const double c = sign * b.C(output, b.integrator);
    g.z -= c * b.A.row(b.integrator).transpose();
    g.w -= c * b.B.row(b.integrator).transpose();
  }
  return g;
}

double dot(const Vector& row, const double* x) {
  double sum = 0.0;
  for (Index i = 0; i < row.size(); ++i) sum += row[i] * x[i];
  return sum;
}

double row_times(const Matrix& m, Index row, const double* x) {
  double sum = 0.0;
  for (Index i = 0; i < m.cols(); ++i) sum += m(row, i) * x[i];
  return sum;
}

double integral_rate(const Block& b, const double* z, BlockInputs in) {
  return row_times(b.A, b.integrator, z) + row_times(b.B, b.integrator, in.w);
}

double raw_rate(const Block& b, Index output, const double* z, BlockInputs in, bool held) {
  double sum = in.wdot ? row_times(b.D, output, in.wdot) : 0.0;
  for (Index i = 0; i < b.A.rows(); ++i) {
    if (held && i == b.integrator) continue;
    sum += b.C(output, i) * (row_times(b.A, i, z) + row_times(b.B, i, in.w));
  }
  return sum;
}

Saturation outside(const Block& b, int sigma, const double* z, BlockInputs in) {
  return b.integrator >= 0 && sigma * integral_rate(b, z, in) > 0.0 ? holding(sigma) : moving(sigma);
}

} // namespace

double raw_output(const Block& b, Index output, const double* z, const double* w) {
  return row_times(b.C, output, z) + row_times(b.D, output, w);
}

double BlockGuard::value(const double* states, const double* inputs, const double* input_rates) const {
  return dot(z, states) + dot(w, inputs) + (input_rates ? dot(wdot, input_rates) : 0.0) + offset;
}

AffineBlock affine(const Block& b, std::span<const Saturation> modes) {
  AffineBlock m{b.A, b.B, b.C, b.D, Vector::Zero(b.A.rows()), Vector::Zero(b.outputs())};
  for (Index j = 0; j < b.outputs(); ++j) {
    const Saturation mode = modes[j];
    const int sigma = side(mode);
    if (sigma == 0) continue;
    const double bound = limit(b, j, sigma);
    m.C.row(j).setZero();
    m.D.row(j).setZero();
    m.d[j] = bound;
    m.A -= b.L.col(j) * b.C.row(j);
    m.B -= b.L.col(j) * b.D.row(j);
    m.b += b.L.col(j) * bound;
    if (frozen(mode) || following(mode)) {
      m.A.row(b.integrator).setZero();
      m.B.row(b.integrator).setZero();
    }
  }
  return m;
}

List<BlockGuard> guards(const Block& b, Index output, Saturation mode) {
  List<BlockGuard> out;
  const int sigma = side(mode);
  if (sigma == 0) {
    if (std::isfinite(b.hi[output]))
      out.push_back(beyond(Trigger::exceeds_max, b, output, 1.0, b.hi[output]));
    if (std::isfinite(b.lo[output]))
      out.push_back(beyond(Trigger::exceeds_min, b, output, -1.0, b.lo[output]));
    return out;
  }
  if (following(mode)) {
    out.push_back(raw_rate(Trigger::returns, b, output, -sigma, false));
    out.push_back(raw_rate(sigma > 0 ? Trigger::exceeds_max : Trigger::exceeds_min, b, output, sigma, true));
    return out;
  }
  out.push_back(beyond(Trigger::returns, b, output, -sigma, limit(b, output, sigma)));
  if (frozen(mode))
    out.push_back(integral_rate(Trigger::turns_inwards, b, -sigma));
  else if (b.integrator >= 0)
    out.push_back(integral_rate(Trigger::turns_outwards, b, sigma));
  return out;
}

Saturation after(const Block& b, Index output, Saturation mode, Trigger fired, const double* z,
                 BlockInputs in) {
  switch (fired) {
  case Trigger::exceeds_max:
  case Trigger::exceeds_min: {
    const int sigma = fired == Trigger::exceeds_max ? 1 : -1;
    if (b.integrator < 0) return moving(sigma);
    if (following(mode)) return holding(sigma);
    if (sigma * integral_rate(b, z, in) <= 0.0) return moving(sigma);
    return sigma * raw_rate(b, output, z, in, true) >= 0.0 ? holding(sigma) : on_limit(sigma);
  }
  case Trigger::returns: {
    if (!frozen(mode)) return Saturation::free;
    const int sigma = side(mode);
    return sigma * raw_rate(b, output, z, in, false) > 0.0 ? on_limit(sigma) : Saturation::free;
  }
  case Trigger::turns_outwards:
    return holding(side(mode));
  case Trigger::turns_inwards:
    return moving(side(mode));
  }
  return mode;
}

Saturation mode_anew(const Block& b, Index output, Saturation before, const double* z, BlockInputs in) {
  double size = 0.0;
  for (Index i = 0; i < b.C.cols(); ++i) size += std::abs(b.C(output, i) * z[i]);
  for (Index i = 0; i < b.D.cols(); ++i) size += std::abs(b.D(output, i) * in.w[i]);
  const double raw = raw_output(b, output, z, in.w);
  for (const int sigma : {1, -1}) {
    const double bound = limit(b, output, sigma);
    if (!std::isfinite(bound)) continue;
    const double rounding = 16.0 * tolerance::epsilon * (size + std::abs(bound));
    const double excess = sigma * (raw - bound);
    if (excess > rounding) return outside(b, sigma, z, in);
    if (excess < -rounding) continue;
    if (b.integrator < 0) return side(before) == sigma ? before : Saturation::free; // its guards decide
    const double on = sigma * raw_rate(b, output, z, in, false),
                 held = sigma * raw_rate(b, output, z, in, true);
    if (on == 0.0 && held == 0.0) return side(before) == sigma ? before : Saturation::free;
    if (on <= 0.0) return Saturation::free;
    return held >= 0.0 ? outside(b, sigma, z, in) : on_limit(sigma);
  }
  return Saturation::free;
}

void settle(const Block& b, Index output, Saturation mode, const double* w, double* z) {
  if (!following(mode)) return;
  z[b.integrator] += (limit(b, output, side(mode)) - raw_output(b, output, z, w)) / b.C(output, b.integrator);
}

} // namespace stickslip
