#include "flow/trial_step.hpp"

#include "core/step_control.hpp"

namespace stickslip {

TrialStep::TrialStep(const System& system, RightHandSide& of)
    : rate(Vector::Zero(system.nx)), balance(system, of), sys(system), rhs(of), J(system.nx, system.nx),
      by_time(rate), fifth(high() ? 0 : system.nx), eighth(high() ? system.nx : 0), stiff(system.nx) {}

bool TrialStep::find_known(const Regime& r, const State& state) {
  if (known.regime != &r || known.x != state.base_x) return false;
  rate = known.rate;
  return true;
}

void TrialStep::know(const Regime& r, const Vector& x, const Vector& rate_there) {
  known.regime = &r, known.x = x, known.rate = rate_there;
}

template <Index N> bool TrialStep::make_stiff_quick(const State& state, double h) {
  auto f = [&](double t, const double* x, double* dx) { rhs.field.rhs<N>(t, x, dx); };
  rhs.evaluations += rodas5p::stages - 1;
  return rosenbrock_attempt<N>(f, state.base_t, state.base_x.data(), rate.data(), J.data(),
                               rhs.autonomous() ? nullptr : by_time.data(), h, stiff);
}

bool TrialStep::make_stiff(const State& state, double h) {
  balanced = balance.is_instant(state, h);
  if (balanced) {
    stiff.error.setZero();
    return balance.step(state, h, rate, stiff.x1);
  }
  if (!rhs.is_quick())
    return rosenbrock_attempt(rhs, state.base_t, state.base_x.data(), rate.data(), J.data(),
                              rhs.autonomous() ? nullptr : by_time.data(), h, stiff);
  switch (sys.nx) { // one mass with one or two bristle states, two masses
  case 3:
    return make_stiff_quick<3>(state, h);
  case 4:
    return make_stiff_quick<4>(state, h);
  case 5:
    return make_stiff_quick<5>(state, h);
  case 6:
    return make_stiff_quick<6>(state, h);
  default:
    return make_stiff_quick<0>(state, h);
  }
}

bool TrialStep::make(const State& state, double h) {
  if (is_stiff()) return make_stiff(state, h);
  const double t = state.base_t, *const x = state.base_x.data();
  if (high()) {
    dop853_attempt(rhs, t, x, rate.data(), h, eighth);
  } else if (!rhs.is_quick()) {
    dopri5_attempt(rhs, t, x, rate.data(), h, fifth);
  } else {
    rhs.evaluations += 6;
    auto f = [&](double at, const double* y, double* dy) { rhs.field.rhs<0>(at, y, dy); };
    dopri5_attempt(f, t, x, rate.data(), h, fifth);
  }
  return true;
}

double TrialStep::error_in_tolerances(const State& state, const Vector& atol, double rtol) const {
  const auto norm = [&](const Vector& of) {
    return error_norm(of.data(), state.base_x.data(), end().data(), atol.data(), rtol, sys.nx);
  };
  const double e = norm(error());
  return is_high() ? dop853_error(e, norm(eighth.rough)) : e;
}

void TrialStep::expand(const Regime& r, const State& state, double h, Matrix& C) {
  static_assert(dopri5_dense_columns == rosenbrock_dense_columns);
  if (is_balanced()) {
    C.leftCols(rosenbrock_dense_columns).setZero();
    C.col(0) = state.base_x;
    C.col(1) = stiff.x1 - state.base_x;
  } else if (is_stiff()) {
    rosenbrock_dense(state.base_x.data(), stiff, C.leftCols(rosenbrock_dense_columns));
  } else if (!high()) {
    dopri5_dense(state.base_x.data(), h, fifth, C.leftCols(dopri5_dense_columns));
  } else {
    dop853_dense(rhs, state.base_t, state.base_x.data(), h, eighth, C.leftCols(dop853_dense_columns));
    forget();
    if (r.guards.empty() && rhs.autonomous()) know(r, eighth.x1, eighth.k.col(dop853::stages));
  }
}

bool TrialStep::looks_stiff(double h) const {
  const auto looks_so = [h](double slope, double distance, double bound) {
    return distance > 0.0 && h * slope > bound * distance;
  };
  const Dop853Workspace& e = eighth;
  const Dopri5Workspace& f = fifth;
  return high() ? looks_so((e.k.col(12) - e.k.col(11)).norm(), (e.x1 - e.last).norm(), 6.1)
                : looks_so((f.k.col(6) - f.k.col(5)).norm(), (f.x1 - f.stage).norm(), 3.25);
}

} // namespace stickslip
