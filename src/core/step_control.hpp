// Step size control for embedded pairs: weights, first step, PI controller (Gustafsson, ACM TOMS 17 (1991)
// 533-554; Hairer, Norsett, Wanner, Solving ODEs I, II.4). The error is measured in the maximum norm, so that
// states which rest in the present mode do not dilute the error of those that move.
#pragma once

#include "core/rough_math.hpp"
#include "core/types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

inline constexpr double least_step_error = 1e-10; // in units of the tolerance: growth is limited anyway
inline constexpr double least_trend_error = 1e-4; // least error from which a trend is computed, likewise
inline constexpr double no_size = 1e-5; // in units of the tolerance: too small to determine a unit of time
inline constexpr double careful_share = 1e-6; // of the horizon: a trial step where nothing is known

// max_i |error_i| / (atol_i + rtol max(|x0_i|, |x1_i|)); <= 1 is acceptable, NaN or infinite entries give
// infinity.
inline double error_norm(const double* error, const double* x0, const double* x1, const double* atol,
                         double rtol, Index n) {
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double e = std::abs(error[i]) / (atol[i] + rtol * std::max(std::abs(x0[i]), std::abs(x1[i])));
    if (!(e <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, e);
  }
  return worst;
}

struct StepController {
  double order = 5.0;  // the error estimate shrinks with h^order
  double target = 0.5; // error norm to settle at
  double integral =
      0.3; // factor = (target / error)^(integral / order) (previous / error)^(proportional / order)
  double proportional = 0.4;
  double least = 0.2; // bounds of one change
  double greatest = 8.0;

  // Predict: assume that errors continue to grow as in the last step (Gustafsson, ACM TOMS 20 (1994) 496-517), so that
  // not every other step is rejected while the motion accelerates. Then `previous` is the error that the present step
  // would have if nothing changed; code that changes the step otherwise calls resized().
  bool predict = false;

  double previous = 0.0; // error norm of the last accepted step; 0: none since the last restart
  bool rejected = false; // the last attempt failed: the next step must not grow

  // Forget the past at an event; the step size itself may be taken over as a hint.
  void restart() { previous = 0.0, rejected = false; }

  void resized(double ratio) {
    if (predict && previous > 0.0 && ratio != 1.0) previous *= rough_exp2(order * rough_log2(ratio));
  }

  // Factor for h after an attempt with this error norm; `accepted`: the attempt is accepted.
  double next(double error, bool& accepted) {
    accepted = error <= 1.0;
    if (!accepted) {
      rejected = true;
      const double shorter =
          std::isfinite(error) ? std::clamp(rough_exp2(rough_log2(target / error) / order), 0.1, 0.9) : 0.1;
      resized(shorter);
      return shorter;
    }
    // Without a past there is no trend to use; a plain controller finds its step at once instead of creeping.
    const double e = std::max(error, least_step_error);
    const double lack = rough_log2(target / e);
    if (predict) {
      const double growth = previous > 0.0 ? std::clamp(rough_log2(e / previous), 0.0, 5.0) : 0.0;
      double next = std::clamp(rough_exp2((lack - growth) / order), least, greatest);
      if (rejected) next = std::min(next, 1.0);
      previous = std::max(e, least_trend_error);
      resized(next);
      rejected = false;
      return next;
    }
    const double trend = previous > 0.0 ? integral * lack + proportional * rough_log2(previous / e) : lack;
    double factor = rough_exp2(trend / order);
    factor = std::clamp(factor, least, greatest);
    if (rejected) factor = std::min(factor, 1.0);
    previous = std::max(e, least_trend_error);
    rejected = false;
    return factor;
  }
};

// Step to take when `remaining` is left: never a sliver at the end, and the end itself is hit exactly.
inline double fit_step(double h, double remaining) {
  if (h >= 0.999 * remaining) return remaining;
  return h > 0.5 * remaining ? 0.5 * remaining : h;
}

// A first step for a pair of this order, at most `horizon`; one evaluation of f. After Hairer, Norsett,
// Wanner I, II.4, but with T = |x'| / |x''| as the unit of time, so that the answer does not depend on the
// user's. A `hint` > 0, the step of the segment before, is simply taken: a rejected attempt costs less than
// growing from a tiny step. `work` holds 2 n values; f0 = f(t, x).
template <class F>
double initial_step(F&& f, double t, const double* x, const double* f0, Index n, int order,
                    const double* atol, double rtol, double horizon, double hint, double* work) {
  if (hint > 0.0) return std::min(hint, horizon);
  double size = 0.0, speed = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double weight = atol[i] + rtol * std::abs(x[i]);
    size = std::max(size, std::abs(x[i]) / weight);
    speed = std::max(speed, std::abs(f0[i]) / weight);
  }
  const double trial = std::min(
      size < no_size || speed * horizon < no_size ? careful_share * horizon : 0.01 * size / speed, horizon);
  double* const x1 = work;
  double* const f1 = work + n;
  for (Index i = 0; i < n; ++i) x1[i] = x[i] + trial * f0[i];
  f(t + trial, static_cast<const double*>(x1), f1);
  double bend = 0.0;
  for (Index i = 0; i < n; ++i)
    bend = std::max(bend, std::abs(f1[i] - f0[i]) / (atol[i] + rtol * std::abs(x[i])) / trial);
  double h = 100.0 * trial;
  if (std::isnormal(bend)) {
    h = std::sqrt(0.01 / bend);
    // If x' alone moves x by less than the tolerance within T, x'' alone sets the step.
    if (const double unit = speed / bend; unit > h)
      h = unit * std::pow(0.01 / (speed * unit), 1.0 / (order + 1.0));
  }
  return std::min({100.0 * trial, h, horizon});
}

} // namespace stickslip
