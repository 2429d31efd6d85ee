// A complete run of the Rosenbrock flow for tests and measurements: mass on a spring whose end moves at
// constant speed, friction LuGre (Canudas de Wit et al., IEEE TAC 40 (1995) 419-425). |v| switches with the
// sign of v.
#pragma once

#include "core/polynomial.hpp"
#include "core/roots.hpp"
#include "core/rosenbrock.hpp"
#include "core/step_control.hpp"

#include <array>
#include <cmath>

namespace stickslip::bindings {

struct LuGreSpring {
  double sigma0 = 1e5, sigma1 = 316.22776601683796, sigma2 = 0.4, kinetic = 1.0, statik = 1.5,
         stribeck = 1e-3;
  double mass = 1.0, stiffness = 2.0, speed = 0.1;
  double sign = 1.0; // of v, on this branch

  // Divisions have the longest latency here and the stages wait for each other, so there is one per
  // evaluation.
  double per_stribeck = 1.0 / stribeck, per_mass = 1.0 / mass;

  void operator()(double t, const double* x, double* dx) const {
    const double v = x[1], z = x[2], r = v * per_stribeck;
    const double level = kinetic + (statik - kinetic) * std::exp(-r * r);
    const double pull = stiffness * (speed * t - x[0]) - sigma0 * z - sigma2 * v;
    const double rate = v - sign * sigma0 * v * z / level;
    dx[0] = v;
    dx[1] = (pull - sigma1 * rate) * per_mass;
    dx[2] = rate;
  }
  // Column by column; also the right-hand side itself.
  void jacobian(double t, const double* x, double* J, double* dx) const {
    const double v = x[1], z = x[2], r = v * per_stribeck;
    const double drop = (statik - kinetic) * std::exp(-r * r);
    const double per_g = sigma0 / (kinetic + drop);                       // 1 / g
    const double slope = -2.0 * r * per_stribeck * drop * per_g / sigma0; // g' / g
    const double a = sign * v * per_g, rate = v - a * z;
    const double rate_v = 1.0 - sign * z * per_g + a * z * slope, rate_z = -a;
    dx[0] = v;
    dx[1] = (stiffness * (speed * t - x[0]) - sigma0 * z - sigma1 * rate - sigma2 * v) * per_mass;
    dx[2] = rate;
    J[0] = 0.0, J[1] = -stiffness * per_mass, J[2] = 0.0;
    J[3] = 1.0, J[4] = -(sigma1 * rate_v + sigma2) * per_mass, J[5] = rate_v;
    J[6] = 0.0, J[7] = -(sigma0 + sigma1 * rate_z) * per_mass, J[8] = rate_z;
  }
};

struct LuGreRun {
  Vector position; // at `samples` equal intervals of [0, t_end], both ends included
  Index steps = 0, rejected = 0, crossings = 0;
};

inline LuGreRun run_lugre(LuGreSpring f, double t_end, double rtol, Index samples) {
  LuGreRun run;
  run.position.setZero(samples + 1);
  RosenbrockWorkspace w(3);
  Matrix C(3, rosenbrock_dense_columns);
  std::array<double, 9> J{};
  std::array<double, 3> x{}, f0{}, f1{};
  const std::array<double, 3> ft{0.0, f.stiffness * f.speed / f.mass, 0.0};
  const std::array<double, 3> atol{rtol, rtol * f.stribeck, rtol * f.kinetic / f.sigma0};
  std::array<double, 6> work{};
  StepController control;
  GuardStart start = GuardStart::zero;
  double t = 0.0;
  f(t, x.data(), f0.data());
  double h = initial_step(f, t, x.data(), f0.data(), 3, rosenbrock_order, atol.data(), rtol, t_end, 0.0,
                          work.data());
  Index next_sample = 0;
  const auto attempt = [&](double step) {
    return rosenbrock_attempt<3>(f, t, x.data(), f0.data(), J.data(), ft.data(), step, w);
  };
  while (t < t_end) {
    const bool last = (h = fit_step(h, t_end - t)) == t_end - t;
    f.jacobian(t, x.data(), J.data(), f0.data());
    bool accepted = attempt(h);
    const double error = accepted ? error_norm(w.error.data(), x.data(), w.x1.data(), atol.data(), rtol, 3)
                                  : std::numeric_limits<double>::infinity();
    const double factor = control.next(error, accepted);
    if (!accepted) {
      h *= factor;
      ++run.rejected;
      continue;
    }
    double h_next = h * factor;
    rosenbrock_dense(x.data(), w, C);
    std::array<double, 5> guard{};
    for (size_t k = 0; k < 5; ++k) guard[k] = -f.sign * C(1, static_cast<Index>(k));
    const Crossing hit = first_crossing(guard.data(), 4, start);
    if (hit.at_once) { // started on the wrong side of v = 0
      f.sign = -f.sign;
      continue;
    }
    bool ends = last;
    if (hit.found) {
      // Land on v = 0 with the accuracy of the step, not of its dense output: repeat the step to the
      // crossing.
      h_next = h;
      h *= hit.theta;
      for (int i = 0; i < 3 && attempt(h); ++i) {
        f(t + h, w.x1.data(), f1.data());
        const double correction = -w.x1[1] / f1[1];
        if (!(std::abs(correction) > 1e-15 * t && std::abs(correction) < 0.1 * h)) break;
        h += correction;
      }
      rosenbrock_dense(x.data(), w, C);
      ends = false;
      ++run.crossings;
    }
    const double t1 = ends ? t_end : t + h;
    for (; next_sample <= samples; ++next_sample) {
      const double at = t_end * static_cast<double>(next_sample) / static_cast<double>(samples);
      if (at > t1) break;
      const double theta = (at - t) / h;
      run.position[next_sample] =
          C(0, 0) + theta * (C(0, 1) + theta * (C(0, 2) + theta * (C(0, 3) + theta * C(0, 4))));
    }
    t = t1;
    for (size_t i = 0; i < 3; ++i) x[i] = w.x1[static_cast<Index>(i)];
    start = GuardStart::as_is;
    if (hit.found) {
      x[1] = 0.0;
      f.sign = -f.sign;
      start = GuardStart::zero;
      control.restart();
    }
    h = h_next;
    ++run.steps;
  }
  return run;
}

} // namespace stickslip::bindings
