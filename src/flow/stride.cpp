#include "flow/stride.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

constexpr Index longest = 16;          // terms of the series
constexpr double negligible = 0x1p-60; // of a state's size
constexpr double far = 1e-6;           // of a guard's terms: more than any tolerance of events

bool acts(const Regime& r, Index signal) {
  return !r.As.col(signal).isZero(0.0) || !r.Gs.col(signal).isZero(0.0);
}

} // namespace

Stride::Stride(const Regime& r, double h, const Vector& s, const List<Index>& varying)
    : length(h), states(r.Ax.rows()), guards(r.guards.size()) {
  for (const Index k : varying)
    if (acts(r, k)) return;
  acts_alone = true;
  sizes.setConstant(states, std::numeric_limits<double>::quiet_NaN());
  // Terms (h A)^k / k!, and bounds of what they amount to.
  const Matrix A = h * r.Ax, size = A.cwiseAbs();
  Matrix term = Matrix::Identity(states, states), bound = term;
  Vector drift = Vector::Zero(states);
  motion.resize(longest * states, states);
  bounds.resize(longest * states, states);
  given.resize(longest * states);
  for (Index k = 0; k < longest; ++k) {
    motion.middleRows(k * states, states) = term;
    bounds.middleRows(k * states, states) = bound;
    given.segment(k * states, states) = drift;
    const double next = 1.0 / static_cast<double>(k + 1);
    term = Matrix(next * (A * term)), bound = Matrix(next * (size * bound));
    drift = k == 0 ? Vector(h * (r.As * s)) : Vector(next * (A * drift));
  }
  of_guards.resize(longest * guards, states);
  given_of_guards.resize(longest * guards);
  for (Index k = 0; k < longest; ++k) {
    of_guards.middleRows(k * guards, guards) = r.Gx * motion.middleRows(k * states, states);
    given_of_guards.segment(k * guards, guards) = r.Gx * given.segment(k * states, states);
  }
  given_of_guards.head(guards) += r.Gs * s;
  row.resize(longest * guards);
  margin_by_sizes = far * r.Gx.cwiseAbs();
  given_margin = far * (r.Gs.cwiseAbs() * s.cwiseAbs());
}

// How many terms states of these sizes need; none where they need too many.
void Stride::size(const Vector& nominal) {
  sizes = nominal;
  margin = given_margin + margin_by_sizes * nominal;
  const auto negligible_from = [&](Index k) {
    const Vector left =
        bounds.middleRows(k * states, states) * nominal + given.segment(k * states, states).cwiseAbs();
    return (left.array() <= negligible * nominal.array()).all();
  };
  columns = 2;
  while (columns < longest && !negligible_from(columns)) ++columns;
  if (columns == longest) columns = 0;
}

bool Stride::take(const State& state, double* C) {
  if (!acts_alone) return false;
  if (state.nominal != sizes) size(state.nominal);
  if (columns == 0) return false;
  const Eigen::Map<const Vector> x0(state.base_x.data(), states);
  auto values = row.head(columns * guards);
  values = given_of_guards.head(columns * guards);
  values.noalias() += of_guards.topRows(columns * guards) * x0;
  for (Index g = 0; g < guards; ++g) {
    double most = values[g] + margin[g];
    for (Index k = 1; k < columns; ++k) most += std::abs(values[k * guards + g]);
    if (!(most < 0.0)) return false;
  }
  Eigen::Map<Vector> terms(C, columns * states);
  terms = given.head(columns * states);
  terms.noalias() += motion.topRows(columns * states) * x0;
  return true;
}

} // namespace stickslip
