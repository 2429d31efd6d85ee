#include "flow/stride.hpp"

#include "core/tolerances.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace stickslip {

namespace {

constexpr Index longest = 16;          // terms of the series
constexpr double negligible = 0x1p-60; // of a state's size

constexpr Index powers = ParabolicForces::powers, nodes = ParabolicForces::nodes;
constexpr std::array<double, nodes> places{0.0, 0.5, 1.0};

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

void StrideMap::expand(const double* start, Index n, Index columns, double* C) const {
  Eigen::Map<Vector>(C, columns * n).noalias() =
      motion.topRows(columns * n) * Eigen::Map<const Vector>(start, given());
}

Stride::Stride(const System& sys, const Regime& r, double h, const Vector& s, const List<Index>& varying)
    : length(h), states(sys.nx), guards(r.guards.size()), sizes(sys.nx) {
  const Matrix &A = r.affine ? r.Ax : r.A, &S = r.affine ? r.As : r.S;
  Matrix Gx(guards, sys.nx), Gs(guards, sys.ns());
  if (r.affine)
    Gx = r.Gx, Gs = r.Gs;
  else if (!forms(r, Gx, Gs))
    return;
  for (const Index k : varying)
    if (!S.col(k).isZero(0.0) || !Gs.col(k).isZero(0.0)) return;
  possible = true;
  const Index elements = r.affine ? 0 : r.sliding.size();
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
  // Terms (h A)^k / k!, and bounds of their sizes.
  const Matrix hA = h * A, size = hA.cwiseAbs();
  Matrix term = Matrix::Zero(states, all), bound = Matrix::Identity(states, states);
  term.middleCols(1, states).setIdentity();
  const auto terms = std::make_shared<StrideMap>();
  Matrix& motion = terms->motion;
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
  speeds.setZero((nodes + 1) * elements, all);
  for (Index at = 0; at < nodes; ++at) {
    auto here = speeds.middleRows(at * elements, elements);
    here.col(0) = given_velocity;
    double power = 1.0;
    for (Index k = 0; k < longest; ++k, power *= places[static_cast<std::size_t>(at)])
      here += power * velocity * motion.middleRows(k * states, states);
  }
  speeds.bottomRows(elements) = velocity * motion.middleRows(states, states);
  forces.resize(elements);
  map = terms;
  given = Vector::Zero(all);
  given(0) = 1.0;
  quick.resize(RowBlocks::room(states + 2 * guards + speeds.rows()));
  of_forces.resize(RowBlocks::room(states + 2 * guards));
  row.resize(of_guards.rows());
}

bool SizeClass::update(const Vector& nominal) {
  if (seen.size() == nominal.size() && seen == nominal) return false;
  seen = nominal;
  bool same = true;
  for (Index i = 0; i < nominal.size(); ++i) {
    const int e = nominal(i) > 0.0 ? std::ilogb(nominal(i)) : std::numeric_limits<int>::min();
    same = same && e == exponents[i];
    exponents[i] = e;
    least(i) = nominal(i) > 0.0 ? std::ldexp(1.0, e) : 0.0;
  }
  return !same;
}

// Number of terms for states of these sizes; zero if too many are needed.
void Stride::fit(double rtol) {
  constexpr double share = 1e-3; // of the tolerance
  const Vector& least = sizes.powers_of_two();
  Vector most = Vector::Ones(1 + states);
  most.tail(states) = 2.0 * least;
  guard_bounds.margin = tolerance::negligible * (guards_by_all * most);
  const auto negligible_from = [&](Index k) {
    return ((bounds.middleRows(k * states, states) * most).array() <= negligible * least.array()).all();
  };
  columns = powers + 1;
  while (columns < longest && !negligible_from(columns)) ++columns;
  if (forces.count() > 0) ++columns; // forces are integrated once
  if (columns >= longest) columns = 0;
  Vector per_force = Vector::Zero(forces.count());
  for (Index k = 0; k < forces.count(); ++k)
    for (Index i = 0; i < states; ++i)
      if (const double by = length * std::abs(effect(i, k)); by > 0.0)
        per_force(k) = std::max(per_force(k), by / (share * rtol * least(i)));
  forces.set(speeds.rightCols(given.size() - 1 - states), per_force);
  sum_up(most);
}

// Bounds for every interval, for states that are not larger than these.
void Stride::sum_up(const Vector& most) {
  const Index all = given.size(), by_x = 1 + states, known_at_once = states + 2 * guards;
  Matrix sums = Matrix::Zero(known_at_once + speeds.rows(), all), rest = Matrix::Zero(guards, all);
  for (Index k = 0; k < columns; ++k) sums.topRows(states) += map->motion.middleRows(k * states, states);
  sums.middleRows(states, 2 * guards) = of_guards.topRows(2 * guards);
  sums.bottomRows(speeds.rows()) = speeds;
  for (Index k = 2; k < columns; ++k) rest += of_guards.middleRows(k * guards, guards).cwiseAbs();
  by_state.set(sums.leftCols(by_x));
  by_force.set(sums.topRows(known_at_once).rightCols(all - by_x));
  guard_bounds.bend = rest.leftCols(by_x) * most;
  guard_bounds.by_force = rest.rightCols(all - by_x);
}

// A curve about a velocity: its tangent, and from the one a little further out the next two terms of its series; returns
// the force.
inline double ParabolicForces::begin_curve(const Field& curves, Index k, double v0) {
  constexpr double reach = 0x1p-6; // of the curve's characteristic velocity
  Curved& c = curved[k];
  c.reach = reach * curves.finest(k);
  const double step = curves.direction(k) * c.reach, inverse = 1.0 / step;
  const Field::Tangent here = curves.tangent_at(k, v0), further = curves.tangent_at(k, v0 + step);
  c.slope = here.slope;
  const double off = (further.force - here.force) - here.slope * step,
               turn = (further.slope - here.slope) * step;
  c.second = (3.0 * off - turn) * inverse * inverse;
  c.third = (turn - 2.0 * off) * inverse * inverse * inverse;
  if (!(curves.direction(k) * v0 > c.reach)) c.reach = 0.0; // curves may have a corner at zero
  // Within its radius the series converges: the remainder is a small part of these terms.
  constexpr double behind = 0x1p-6;
  c.neglected = behind * (std::abs(c.second) + std::abs(c.third) * c.reach) * per_force[k];
  return here.force;
}

// Deviation of a curve's force at the nodes from the tangent: from the series if its remainder is negligible, else from
// the curve.
inline void ParabolicForces::find_bends(const Field& curves, Index k, double v0, double force,
                                        double to_middle, double to_end) {
  Curved& c = curved[k];
  const double furthest = std::max(std::abs(to_middle), std::abs(to_end));
  if (furthest <= c.reach && c.neglected * (furthest * furthest) <= 1.0) {
    c.at_middle = (c.second + c.third * to_middle) * (to_middle * to_middle);
    c.at_end = (c.second + c.third * to_end) * (to_end * to_end);
    return;
  }
  c.at_middle = curves.force_at(k, v0 + to_middle) - force - c.slope * to_middle;
  c.at_end = curves.force_at(k, v0 + to_end) - force - c.slope * to_end;
}

bool ParabolicForces::find(const Field& curves, const double* speed, double* force) {
  constexpr int rounds = 7;
  constexpr double narrow = 0.25; // of a curve's characteristic velocity
  const Index m = count();
  double *const a1 = force + m, *const a2 = a1 + m;
  for (Index k = 0; k < m; ++k) force[k] = begin_curve(curves, k, speed[k]), a1[k] = a2[k] = 0.0;
  for (Index k = 0; k < m; ++k) { // with forces as they are at the start
    Curved& c = curved[k];
    c.to_middle = speed[m + k] - speed[k], c.to_end = speed[2 * m + k] - speed[k];
    for (Index j = 0; j < m; ++j)
      c.to_middle += by_forces(m + k, j) * force[j], c.to_end += by_forces(2 * m + k, j) * force[j];
  }
  double before = 0.0; // change in the last round, in units of the negligible error
  for (int round = 0; round < rounds; ++round) {
    double change = 0.0;
    for (Index k = 0; k < m; ++k) {
      Curved& c = curved[k];
      double to_middle = c.to_middle, to_end = c.to_end;
      const double *const by_middle = &by_forces.coeffRef(m + k, m), *const by_end =
                                                                         &by_forces.coeffRef(2 * m + k, m);
      for (Index j = 0; j < m; ++j) {
        to_middle += by_middle[j] * a1[j] + by_middle[m + j] * a2[j];
        to_end += by_end[j] * a1[j] + by_end[m + j] * a2[j];
      }
      if (!(std::abs(to_middle) + std::abs(to_end) <= narrow * curves.finest(k))) return false;
      find_bends(curves, k, speed[k], force[k], to_middle, to_end);
      const double gm = c.slope * to_middle + c.at_middle, g1 = c.slope * to_end + c.at_end,
                   b1 = 4.0 * gm - g1, b2 = 2.0 * g1 - 4.0 * gm;
      change = std::max(change, (std::abs(b1 - a1[k]) + std::abs(b2 - a2[k])) * per_force[k]);
      a1[k] = b1, a2[k] = b2;
    }
    const double shrinks = round > 0 && change < before ? change / before : 1.0;
    before = change;
    if (round > 0 && change * shrinks <= 1.0) return are_parabolas(speed, force);
  }
  return false;
}

// By their rates at the start: with a cubic term b theta^3 a parabola through the nodes differs from a force by
// b theta (theta - 1/2) (theta - 1), and at the start from its rate by b / 2.
bool ParabolicForces::are_parabolas(const double* speed, const double* force) const {
  constexpr double most = 0.0962; // of that difference, over the interval
  const Index m = count();
  for (Index k = 0; k < m; ++k) {
    double rate = speed[nodes * m + k];
    for (Index j = 0; j < m; ++j) rate += by_forces(nodes * m + k, j) * force[j];
    if (most * std::abs(curved[k].slope * rate - force[m + k]) * per_force(k) > 1.0) return false;
  }
  return true;
}

// True if no guard fires in the interval: by bounds of all but its value and slope at the start, or else term by term.
bool Stride::far_from_guards() {
  const double* const value = quick.data() + states;
  if (guard_bounds.exclude(value, value + guards, given.tail(powers * forces.count()))) return true;
  auto values = row.head(columns * guards);
  values.noalias() = of_guards.topRows(columns * guards) * given;
  for (Index g = 0; g < guards; ++g) {
    double most = values[g] + guard_bounds.margin[g];
    for (Index k = 1; k < columns; ++k) most += std::abs(values[k * guards + g]);
    if (!(most < 0.0)) return false;
  }
  return true;
}

bool Stride::take(const State& state, const Field& curves, double rtol) {
  if (!possible) return false;
  if (sizes.update(state.nominal)) fit(rtol);
  if (columns == 0) return false;
  given.segment(1, states) = state.base_x;
  by_state.product(given.data(), quick.data());
  if (double* const force = given.data() + 1 + states; forces.count() > 0) {
    if (!forces.find(curves, quick.data() + states + 2 * guards, force)) return false;
    by_force.product(force, of_forces.data());
    quick.head(states + 2 * guards) += of_forces.head(states + 2 * guards);
  }
  return far_from_guards();
}

} // namespace stickslip
