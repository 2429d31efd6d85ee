#include "flow/stride.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace stickslip {

namespace {

constexpr Index longest = 16;          // terms of the series
constexpr double negligible = 0x1p-60; // of a state's size
constexpr double far = 1e-6;           // of a guard's terms: more than any tolerance of events

constexpr std::array<double, 4> places{0.0, 0.5, 1.0, 0.25}; // three nodes; where the parabola is checked
constexpr Index nodes = 3;

// Linear forms of the guards; false if one is not linear.
bool forms(const Regime& r, Matrix& Gx, Matrix& Gs) {
  for (Index k = 0; k < r.guards.size(); ++k) {
    const GuardTerms& g = r.guard_terms[k];
    if (!g.linear()) return false;
    Gx.row(k) = g.sign * g.form->x.transpose();
    Gs.row(k) = g.sign * g.form->s.transpose();
  }
  return true;
}

} // namespace

Stride::Stride(const System& sys, const Regime& r, double h, const Vector& s, const List<Index>& varying)
    : length(h), states(sys.nx), guards(r.guards.size()) {
  const Matrix &A = r.affine ? r.Ax : r.A, &S = r.affine ? r.As : r.S;
  Matrix Gx(guards, sys.nx), Gs(guards, sys.ns());
  if (r.affine)
    Gx = r.Gx, Gs = r.Gs;
  else if (!forms(r, Gx, Gs))
    return;
  for (const Index k : varying)
    if (!S.col(k).isZero(0.0) || !Gs.col(k).isZero(0.0)) return;
  possible = true;
  if (!r.affine) elements = r.sliding.size();
  const Index all = 1 + states + powers * elements;
  effect.resize(states, elements);
  Matrix velocity = Matrix::Zero(elements, states);
  Vector given_velocity(elements);
  for (Index k = 0; k < elements; ++k) {
    const Form& v = sys.friction[r.sliding[k]].velocity;
    effect.col(k) = r.E.col(k);
    velocity.row(k) = v.x.transpose();
    given_velocity(k) = v.s.dot(s);
  }
  // Terms (h A)^k / k!, and bounds of what they amount to.
  const Matrix hA = h * A, size = hA.cwiseAbs();
  Matrix term = Matrix::Zero(states, all), bound = Matrix::Identity(states, states);
  term.middleCols(1, states).setIdentity();
  motion.resize(longest * states, all);
  bounds.resize(longest * states, 1 + states);
  for (Index k = 0; k < longest; ++k) {
    motion.middleRows(k * states, states) = term;
    bounds.middleRows(k * states, states) << term.col(0).cwiseAbs(), bound;
    const double next = 1.0 / static_cast<double>(k + 1);
    term = Matrix(next * (hA * term)), bound = Matrix(next * (size * bound));
    if (k == 0) term.col(0) += h * (S * s);
    if (k < powers) term.middleCols(1 + states + k * elements, elements) += next * h * effect;
  }
  of_guards.resize(longest * guards, all);
  for (Index k = 0; k < longest; ++k)
    of_guards.middleRows(k * guards, guards) = Gx * motion.middleRows(k * states, states);
  of_guards.col(0).head(guards) += Gs * s;
  guards_by_all.resize(guards, 1 + states);
  guards_by_all << Gs.cwiseAbs() * s.cwiseAbs(), Gx.cwiseAbs();
  speeds.setZero(static_cast<Index>(places.size()) * elements, all);
  for (Index at = 0; at < static_cast<Index>(places.size()); ++at) {
    auto here = speeds.middleRows(at * elements, elements);
    here.col(0) = given_velocity;
    double power = 1.0;
    for (Index k = 0; k < longest; ++k, power *= places[static_cast<std::size_t>(at)])
      here += power * velocity * motion.middleRows(k * states, states);
  }
  exponents.assign(states, std::numeric_limits<int>::max());
  given = Vector::Zero(all);
  given(0) = 1.0;
  free_speed.resize(speeds.rows());
  row.resize(of_guards.rows());
}

// Whether sizes have the binary exponents that they had; so much about a state is enough, and seldom changes.
bool Stride::known(const Vector& nominal) {
  bool same = true;
  for (Index i = 0; i < states; ++i) {
    const int e = nominal(i) > 0.0 ? std::ilogb(nominal(i)) : std::numeric_limits<int>::min();
    same = same && e == exponents[i];
    exponents[i] = e;
  }
  return same;
}

// How many terms states of these sizes need; none where they need too many.
void Stride::size(const Vector& nominal, double rtol) {
  constexpr double share = 1e-3; // of the tolerance
  Vector most = Vector::Ones(1 + states);
  least.resize(states);
  for (Index i = 0; i < states; ++i) {
    least(i) = nominal(i) > 0.0 ? std::ldexp(1.0, exponents[i]) : 0.0;
    most(1 + i) = 2.0 * least(i);
  }
  margin = far * (guards_by_all * most);
  const auto negligible_from = [&](Index k) {
    return ((bounds.middleRows(k * states, states) * most).array() <= negligible * least.array()).all();
  };
  columns = powers + 1;
  while (columns < longest && !negligible_from(columns)) ++columns;
  if (elements > 0) ++columns; // forces are integrated once
  if (columns >= longest) columns = 0;
  small_force.setConstant(elements, std::numeric_limits<double>::infinity());
  for (Index k = 0; k < elements; ++k)
    for (Index i = 0; i < states; ++i)
      if (const double by = length * std::abs(effect(i, k)); by > 0.0)
        small_force(k) = std::min(small_force(k), share * rtol * least(i) / by);
}

// The coefficients of the forces, by iteration: a force changes velocities little in one interval. False where it does
// not, or where the curves bend too much for parabolas.
bool Stride::find_forces(const Field& curves) {
  constexpr int rounds = 6;
  constexpr double narrow = 0.25; // of a curve's characteristic velocity
  constexpr double theta = places[nodes];
  const Index m = elements, first = 1 + states;
  auto force = given.segment(first, powers * m);
  force.setZero();
  free_speed.noalias() = speeds * given;
  const auto speed = [&](Index at, Index k) {
    double v = free_speed(at * m + k);
    for (Index j = 0; j < powers * m; ++j) v += speeds(at * m + k, first + j) * force(j);
    return v;
  };
  for (Index k = 0; k < m; ++k) force(k) = curves.force_at(k, free_speed(k));
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    double change = 0.0; // in units of what does not count
    for (Index k = 0; k < m; ++k) {
      const double v0 = free_speed(k), vm = speed(1, k), v1 = speed(2, k);
      if (std::abs(vm - v0) + std::abs(v1 - v0) > narrow * curves.finest(k)) return false;
      const double f0 = force(k), fm = curves.force_at(k, vm), f1 = curves.force_at(k, v1);
      const double a1 = 4.0 * fm - 3.0 * f0 - f1, a2 = 2.0 * (f0 + f1) - 4.0 * fm;
      change =
          std::max(change, (std::abs(a1 - force(m + k)) + std::abs(a2 - force(2 * m + k))) / small_force(k));
      force(m + k) = a1, force(2 * m + k) = a2;
    }
    // The next change would be smaller by as much as this one was.
    if (change * std::min(change / before, 1.0) > 1.0 || round == 0) {
      before = change;
      continue;
    }
    for (Index k = 0; k < m; ++k) {
      const double is = curves.force_at(k, speed(nodes, k)),
                   taken = force(k) + theta * (force(m + k) + theta * force(2 * m + k));
      if (std::abs(is - taken) > small_force(k)) return false;
    }
    return true;
  }
  return false;
}

bool Stride::take(const State& state, const Field& curves, double rtol, double* C) {
  if (!possible) return false;
  if (!known(state.nominal)) size(state.nominal, rtol);
  if (columns == 0) return false;
  given.segment(1, states) = state.base_x;
  if (elements > 0 && !find_forces(curves)) return false;
  auto values = row.head(columns * guards);
  values.noalias() = of_guards.topRows(columns * guards) * given;
  for (Index g = 0; g < guards; ++g) {
    double most = values[g] + margin[g];
    for (Index k = 1; k < columns; ++k) most += std::abs(values[k * guards + g]);
    if (!(most < 0.0)) return false;
  }
  Eigen::Map<Vector>(C, columns * states).noalias() = motion.topRows(columns * states) * given;
  return true;
}

} // namespace stickslip
