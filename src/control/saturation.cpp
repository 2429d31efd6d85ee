// Saturation modes of continuous blocks. The raw output u = C z + D w has the same formula in every mode; only the
// rates of the states differ.
#include "control/saturation_rules.hpp"

#include "core/list.hpp"
#include "core/tolerances.hpp"

#include <cmath>

namespace stickslip {

namespace {

using Trigger = BlockGuard::Trigger;

Trigger exceeds(int sigma) {
  return sigma > 0 ? Trigger::exceeds_max : Trigger::exceeds_min;
}

double limit(const Block& b, Index output, int sigma) {
  return sigma > 0 ? b.hi[output] : b.lo[output];
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

// The rounding errors of the excess are zero; the rate of an output without an integral is not computed: its guards decide.
int sign_of(const Block& b, Index output, LimitQuantity quantity, int sigma, const double* z,
            BlockInputs in) {
  double value = 0.0, rounding = 0.0;
  switch (quantity) {
  case LimitQuantity::excess: {
    const double bound = limit(b, output, sigma);
    double size = std::abs(bound);
    for (Index i = 0; i < b.C.cols(); ++i) size += std::abs(b.C(output, i) * z[i]);
    for (Index i = 0; i < b.D.cols(); ++i) size += std::abs(b.D(output, i) * in.w[i]);
    value = raw_output(b, output, z, in.w) - bound;
    rounding = 16.0 * tolerance::epsilon * size;
    break;
  }
  case LimitQuantity::integral_rate:
    value = integral_rate(b, z, in);
    break;
  case LimitQuantity::raw_rate:
  case LimitQuantity::raw_rate_held:
    if (b.integrator < 0) return 0;
    value = raw_rate(b, output, z, in, quantity == LimitQuantity::raw_rate_held);
  }
  return std::abs(value) <= rounding ? 0 : sigma * (value > 0.0 ? 1 : -1);
}

} // namespace

double raw_output(const Block& b, Index output, const double* z, const double* w) {
  return row_times(b.C, output, z) + row_times(b.D, output, w);
}

BlockRow row_of(const Block& b, Index output, LimitQuantity quantity, int sigma) {
  BlockRow row{Vector::Zero(b.A.rows()), Vector::Zero(b.D.cols()), Vector::Zero(b.D.cols())};
  const auto add_rate = [&](Index state, double factor) {
    row.z += factor * b.A.row(state).transpose();
    row.w += factor * b.B.row(state).transpose();
  };
  switch (quantity) {
  case LimitQuantity::excess:
    row.z = sigma * b.C.row(output).transpose();
    row.w = sigma * b.D.row(output).transpose();
    row.offset = -sigma * limit(b, output, sigma);
    break;
  case LimitQuantity::integral_rate:
    add_rate(b.integrator, sigma);
    break;
  case LimitQuantity::raw_rate:
  case LimitQuantity::raw_rate_held:
    row.wdot = sigma * b.D.row(output).transpose();
    for (Index i = 0; i < b.A.rows(); ++i)
      if (quantity == LimitQuantity::raw_rate || i != b.integrator) add_rate(i, sigma * b.C(output, i));
  }
  return row;
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
    if (is_frozen(mode) || is_following(mode)) {
      m.A.row(b.integrator).setZero();
      m.B.row(b.integrator).setZero();
    }
  }
  return m;
}

List<BlockGuard> guards(const Block& b, Index output, Saturation mode) {
  List<BlockGuard> out;
  // direction -1: fires where the quantity falls
  const auto watch = [&](Trigger trigger, LimitQuantity quantity, int sigma, int direction) {
    BlockRow row = row_of(b, output, quantity, sigma);
    if (direction < 0) row = {-row.z, -row.w, -row.wdot, -row.offset};
    out.push_back({std::move(row), trigger, quantity, sigma});
  };
  const int sigma = side(mode);
  if (sigma == 0) {
    for (const int to : {1, -1})
      if (std::isfinite(limit(b, output, to))) watch(exceeds(to), LimitQuantity::excess, to, 1);
  } else if (is_following(mode)) {
    watch(Trigger::returns, LimitQuantity::raw_rate, sigma, -1);
    watch(exceeds(sigma), LimitQuantity::raw_rate_held, sigma, 1);
  } else {
    watch(Trigger::returns, LimitQuantity::excess, sigma, -1);
    if (is_frozen(mode))
      watch(Trigger::turns_inwards, LimitQuantity::integral_rate, sigma, -1);
    else if (b.integrator >= 0)
      watch(Trigger::turns_outwards, LimitQuantity::integral_rate, sigma, 1);
  }
  return out;
}

Saturation after(const Block& b, Index output, Saturation mode, Trigger fired, const double* z,
                 BlockInputs in) {
  return after(b, mode, fired,
               [&](LimitQuantity q, int sigma) { return sign_of(b, output, q, sigma, z, in); });
}

Saturation mode_anew(const Block& b, Index output, Saturation before, const double* z, BlockInputs in) {
  return mode_anew(b, output, before,
                   [&](LimitQuantity q, int sigma) { return sign_of(b, output, q, sigma, z, in); });
}

void settle(const Block& b, Index output, Saturation mode, const double* w, double* z) {
  if (!is_following(mode)) return;
  z[b.integrator] += (limit(b, output, side(mode)) - raw_output(b, output, z, w)) / b.C(output, b.integrator);
}

} // namespace stickslip
