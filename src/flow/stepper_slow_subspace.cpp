// The flow of a stiff affine regime after its fast modes have decayed: the series of the slow modes, with the response
// of the fast ones to the drive, so that steps have the slow time scale and guards are polynomials.
#include "core/list.hpp"
#include "core/slow_subspace.hpp"
#include "core/tolerances.hpp"
#include "flow/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr double short_of_reach = 100.0; // steps of the fastest rate that are worth an analysis

// Fast decaying modes show in the trace, at least a tenth of all rates there are.
bool may_settle(const Matrix& A, const Vector& scale, double reach) {
  double rate = 0.0, trace = 0.0;
  for (Index i = 0; i < A.rows(); ++i) {
    double sum = 0.0;
    for (Index j = 0; j < A.rows(); ++j) sum += std::abs(A(i, j)) * scale(j);
    rate = std::max(rate, sum / scale(i));
    trace += A(i, i);
  }
  return -trace * reach > short_of_reach && rate * reach > short_of_reach;
}

} // namespace

// False if there are no such modes, or if they still move: nothing has changed then.
bool Stepper::take_slow_subspace(const Regime& r, const State& state, Index signal_degree, double reach,
                                 Step& step) {
  if (state.after_transition || !may_settle(r.Ax, scale.size, reach)) return false;
  const List<SlowSubspace>& splits = plan->slow_subspaces();
  for (const SlowSubspace& split : splits) {
    if (split.fast_rate * reach < short_of_reach) continue;
    const Index f = split.Rf.cols(), m = split.Rs.cols();
    // Response of the fast modes to the drive: Af p_k + Lf S s_k = (k + 1) p_(k+1).
    const Matrix Sf = split.Lf * r.As;
    Matrix p = Matrix::Zero(f, signal_degree + 1);
    for (Index k = signal_degree; k >= 0; --k) {
      Vector b = -Sf * signal_series.col(k);
      if (k < signal_degree) b += static_cast<double>(k + 1) * p.col(k + 1);
      p.col(k).noalias() = split.Af_inverse * b;
    }
    // Distance of the state from this response, compared with rounding errors of the state, the drive and the guards.
    const Vector away = split.Rf * (split.Lf * state.base_x - p.col(0));
    const Vector drive = split.Rf.cwiseAbs() *
                         (split.Af_inverse.cwiseAbs() * (Sf.cwiseAbs() * signal_series.col(0).cwiseAbs()));
    // The series that led here is truncated relative to the nominal sizes of the states.
    const Vector known = split.rounding * state.base_x.cwiseAbs() + drive + 0x1p-6 * scale.size;
    bool dead = true;
    for (Index i = 0; i < sys.nx && dead; ++i) dead = std::abs(away(i)) <= tolerance::polynomial * known(i);
    for (Index k = 0; k < r.guards.size() && dead; ++k) {
      const double size =
          r.Gx.row(k).cwiseAbs().dot(known) + r.Gs.row(k).cwiseAbs().dot(signal_series.col(0).cwiseAbs());
      dead = std::abs(r.Gx.row(k).dot(away)) <= tolerance::polynomial * size;
    }
    if (!dead) continue;
    // No longer than the time so far: an event within the step is then known as well as the time itself.
    const double far = std::min(reach, std::max(outlook(state), std::abs(state.base_t)));
    if (m > 0) {
      const Vector z0 = split.Ls * state.base_x;
      const StateSizes size(
          Vector((split.Ls.cwiseAbs() * scale.size).cwiseMax(std::numeric_limits<double>::min())));
      const Matrix Ss = split.Ls * r.As;
      Matrix Z(m, exact_columns);
      const Index columns = affine_taylor(split.As, Ss, signal_series.leftCols(signal_degree + 1), z0.data(),
                                          far, size, Z, step.h) +
                            1;
      step.columns = std::max(columns, signal_degree + 1);
      C.leftCols(step.columns).setZero();
      C.leftCols(columns).noalias() = split.Rs * Z.leftCols(columns);
    } else {
      step.h = far;
      step.columns = signal_degree + 1;
      C.leftCols(step.columns).setZero();
    }
    double power = 1.0;
    for (Index k = 0; k <= signal_degree; ++k, power *= step.h) C.col(k) += split.Rf * p.col(k) * power;
    hold_ending(r, state, signal_degree, step);
    step.kind = FlowKind::slow_subspace;
    return true;
  }
  return false;
}

// Removes numerical noise of the projectors: sticking elements rest exactly.
void Stepper::hold_ending(const Regime& r, const State& state, Index signal_degree, Step& step) {
  if (plan->ending.empty()) return;
  const Index columns = std::min(std::max(step.columns, signal_degree + plan->longest + 1), exact_columns);
  if (columns > step.columns) C.middleCols(step.columns, columns - step.columns).setZero();
  step.columns = columns;
  for (Index i : plan->ending) C(i, 0) = state.base_x(i);
  double power = step.h;
  for (Index k = 0; k + 1 < columns; ++k, power *= step.h)
    for (Index i : plan->ending) {
      double sum = 0.0;
      for (Index j : plan->ending) sum += r.Ax(i, j) * C(j, k);
      sum *= step.h;
      if (k <= signal_degree) sum += power * r.As.row(i).dot(signal_series.col(k));
      C(i, k + 1) = sum / static_cast<double>(k + 1);
    }
}

} // namespace stickslip
