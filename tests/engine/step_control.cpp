// Step size control: weights, the PI controller on model errors, restarts, first steps.
#include "check.hpp"

#include "core/step_control.hpp"

#include <vector>

using namespace stickslip;

namespace {

struct Taken {
  std::vector<double> h;
  int rejected = 0;
};

// Steps of a controller for a model whose error norm is error_of(t) h^5.
template <class F> Taken run(F&& error_of, double h, std::size_t steps) {
  StepController control;
  Taken out;
  double t = 0.0;
  while (out.h.size() < steps) {
    bool accepted = false;
    const double factor = control.next(error_of(t) * std::pow(h, 5.0), accepted);
    if (accepted)
      out.h.push_back(h), t += h;
    else
      ++out.rejected;
    h *= factor;
  }
  return out;
}

double even(double) {
  return 1e5;
}

} // namespace

TEST(step_control, the_error_is_that_of_the_worst_component) {
  const double e[] = {1e-6, -3e-9}, x0[] = {1.0, 1e-3}, x1[] = {-2.0, 0.0}, atol[] = {1e-6, 1e-9};
  check::close(error_norm(e, x0, x1, atol, 1e-6, 2), 3e-9 / 2e-9, 1e-14);
  const double broken[] = {NAN, 0.0};
  check::same(error_norm(broken, x0, x1, atol, 1e-6, 2), INFINITY);
}

TEST(step_control, settles_just_below_the_tolerance) {
  const Taken taken = run(even, 0.09, 40);
  for (std::size_t i = 30; i < 40; ++i) check::close(1e5 * std::pow(taken.h[i], 5.0), 0.5, 0.01);
  check::that(taken.rejected == 0);
}

TEST(step_control, a_bad_first_step_is_mended_quickly) {
  for (const double start : {1e-6, 1e3}) {
    const Taken taken = run(even, start, 16);
    check::that(taken.rejected <= 6 && taken.h.back() > 0.07);
  }
}

TEST(step_control, a_rough_stretch_costs_few_rejections) {
  const Taken taken =
      run([](double t) { return 1e5 * (1.0 + 1e4 * std::exp(-(t - 3) * (t - 3))); }, 0.05, 300);
  check::that(taken.rejected <= 10);
}

TEST(step_control, no_growth_right_after_a_rejection_and_a_restart_forgets) {
  StepController control;
  bool accepted = true;
  control.next(50.0, accepted);
  check::that(!accepted);
  check::same(control.next(1e-4, accepted), 1.0);
  check::that(accepted);
  control.next(50.0, accepted);
  control.restart();
  check::that(control.next(1e-4, accepted) > 1.0);
  check::same(control.next(INFINITY, accepted), 0.1);
  check::that(!accepted);
}

TEST(step_control, the_first_step_suits_the_problem) {
  // x' = -k x: the step has the size of the time constant times rtol^(1/6), whatever the units of time.
  const double one = 1.0, atol = 1e-8;
  double work[2];
  for (const double k : {1e-3, 1.0, 1e6}) {
    const double f0 = -k;
    const auto f = [k](double, const double* x, double* dx) { *dx = -k * *x; };
    const double h = initial_step(f, 0.0, &one, &f0, 1, 5, &atol, 1e-8, 1e9, 0.0, work);
    check::that(h * k > 1e-3 && h * k < 1.0);
    check::same(initial_step(f, 0.0, &one, &f0, 1, 5, &atol, 1e-8, 10.0, 0.3, work), 0.3);
    check::same(initial_step(f, 0.0, &one, &f0, 1, 5, &atol, 1e-8, 0.1, 0.3, work), 0.1);
  }
  const double none = 0.0;
  const auto still = [](double, const double*, double* dx) { *dx = 0.0; };
  check::that(initial_step(still, 0.0, &none, &none, 1, 5, &atol, 1e-8, 10.0, 0.0, work) <= 10.0);
}

TEST(step_control, a_remnant_of_a_velocity_does_not_shorten_the_first_step) {
  // x' = v, v' = t: v changes by t^2/2, whatever the rounding of the rest before leaves of it.
  const double atol[] = {1e-8, 1e-8};
  double work[4];
  const auto step_at = [&](double v) {
    const double x[] = {0.1, v}, f0[] = {v, 0.0};
    const auto f = [](double t, const double* at, double* dx) { dx[0] = at[1], dx[1] = t; };
    return initial_step(f, 0.0, x, f0, 2, 5, atol, 1e-8, 1.0, 0.0, work);
  };
  const double from_rest = step_at(0.0);
  check::that(from_rest > 1e-6);
  for (const double v : {1e-300, 1e-45, 1e-30})
    check::that(std::abs(step_at(v) - from_rest) < 1e-3 * from_rest);
}

TEST(step_control, last_steps_are_fitted) {
  check::same(fit_step(0.9995, 1.0), 1.0);
  check::same(fit_step(0.7, 1.0), 0.5);
  check::same(fit_step(0.3, 1.0), 0.3);
}

TEST(step_control, rough_logarithm_and_exponential) {
  for (double e = -300.0; e <= 300.0; e += 0.3) {
    const double x = std::pow(10.0, e);
    check::close(rough_log2(x), std::log2(x), 0.01);
  }
  for (double x = -900.0; x <= 900.0; x += 0.45) check::close(rough_exp2(x) / std::exp2(x), 1.0, 0.0035);
  check::same(rough_exp2(INFINITY), 0x1p1000);
  check::same(rough_exp2(-INFINITY), 0x1p-1000);
}
