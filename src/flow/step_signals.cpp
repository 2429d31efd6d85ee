#include "flow/step_signals.hpp"

#include "dynamics/regime.hpp"
#include "flow/step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stickslip {

namespace {

constexpr double greatest_term = 1e250;
// Integrated steps are at most 1.5 / omega long, and 1.5^20 / 20! is below rounding.
constexpr Index harmonic_degree = 20;

} // namespace

StepSignals::StepSignals(const System& system)
    : now(Vector::Zero(system.ns())), start(now), series(Matrix::Zero(system.ns(), taylor_columns)),
      sys(system) {
  update_constants();
  for (Index i = 0; i < sys.signals.size(); ++i)
    if (is_constant(sys.signals[i]))
      now(i) = sys.signals[i].pieces.front().c[0];
    else
      varying.push_back(i);
  pieces.assign(varying.size(), Held{});
}

void StepSignals::update_constants() {
  signal_values(sys, 0.0, now.data());
  series.col(0) = now;
}

void StepSignals::begin(double t) {
  for (Index k = 0; k < varying.size(); ++k) pieces[k] = piece_at(sys.signals[varying[k]], t);
  move_to(t);
}

double StepSignals::greatest_frequency() const {
  double greatest = 0.0;
  for (const Held& held : pieces)
    for (const Harmonic& h : held.piece->harmonics) greatest = std::max(greatest, std::abs(h.omega));
  return greatest;
}

Index StepSignals::expand(double t, double& fastest) {
  Index degree = 0, cut = taylor_columns;
  for (const Index i : varying) {
    std::array<double, taylor_columns> c{};
    taylor(sys.signals[i], t, static_cast<int>(taylor_columns), c.data());
    for (Index j = 0; j < taylor_columns; ++j) {
      if (!(std::abs(c[j]) <= greatest_term)) cut = std::min(cut, j);
      series(i, j) = c[j];
      if (c[j] != 0.0) degree = std::max(degree, j);
    }
  }
  fastest = greatest_frequency();
  if (degree < cut) return degree;
  series.middleCols(cut, degree + 1 - cut).setZero();
  const auto n = static_cast<double>(cut); // the terms of a harmonic: (omega h)^n / n!
  fastest =
      std::max(fastest, 3.0 * fastest / std::exp2((std::lgamma(n + 1.0) / std::numbers::ln2 - 60.0) / n));
  return cut - 1;
}

Index StepSignals::expand_seen(const List<GuardTerms>& guards, double t, double h) {
  Index degree = 0;
  for (Index k = 0; k < varying.size(); ++k) {
    const Index i = varying[k];
    if (std::none_of(guards.begin(), guards.end(),
                     [i](const GuardTerms& g) { return g.linear() && g.form->s(i) != 0.0; }))
      continue;
    const Index highest = pieces[k].piece->harmonics.empty() ? signal_max_degree : harmonic_degree;
    std::array<double, harmonic_degree + 1> c{};
    taylor(sys.signals[i], t, static_cast<int>(highest) + 1, c.data());
    double power = 1.0;
    for (Index j = 0; j <= highest; ++j, power *= h) {
      series(i, j) = c[j] * power;
      if (series(i, j) != 0.0) degree = std::max(degree, j);
    }
    for (Index j = highest + 1; j <= harmonic_degree; ++j) series(i, j) = 0.0;
  }
  return degree;
}

} // namespace stickslip
