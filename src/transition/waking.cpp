// Machines at rest without loads until signals, or bodies that move already, begin to act: their first terms decide the
// modes.
#include "core/list.hpp"
#include "core/tolerances.hpp"
#include "transition/mode_problem.hpp"
#include "transition/motion_series.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

constexpr double slight_share =
    1e-5;                     // relative to friction of a given level: too small to change another choice
constexpr double early = 0.1; // share of the time after which a signal's second term equals its first

// Accelerations due to signals, by powers of time.
Matrix by_signals(const Instant& at, const ActiveSet& active, const ModeProblem& posed) {
  Matrix made = posed.rows * at.linear().S;
  for (Index k = 0; k < posed.size(); ++k)
    if (posed.decides(k, active))
      made.row(k) += posed.own_acceleration(at.sys, k).transpose();
    else
      made.row(k).setZero();
  return made;
}

Matrix signal_terms(Instant& at, const ActiveSet& active, const ModeProblem& posed) {
  at.expand_signals();
  return by_signals(at, active, posed).cwiseAbs() * at.signal_series.cwiseAbs();
}

// Removes entries below the rounding error of the terms of these sizes.
void clean(Matrix::ColXpr values, const Vector& sizes) {
  for (Index i = 0; i < values.size(); ++i)
    if (std::abs(values(i)) <= tolerance::product * sizes(i)) values(i) = 0.0;
}

// Accelerations due to the states, by powers of time, as long as no component is loaded: those of bodies that move already.
Matrix by_states(const Instant& at, const ActiveSet& active, const ModeProblem& posed) {
  const Matrix &A = at.linear().A, &S = at.linear().S;
  Matrix made = Matrix::Zero(posed.size(), series_terms), x = Matrix::Zero(A.rows(), series_terms);
  x.col(0) = at.state->base_x;
  Vector size = known_size(x.col(0), at.state->nominal);
  for (Index k = 0; k < series_terms; ++k) {
    made.col(k) = posed.rows * (A * x.col(k));
    clean(made.col(k), posed.rows.cwiseAbs() * (A.cwiseAbs() * size));
    if (k == 0) made.col(0).setZero(); // in equilibrium
    if (k + 1 == series_terms) break;
    x.col(k + 1) = (A * x.col(k) + S * at.signal_series.col(k)) / static_cast<double>(k + 1);
    size = (A.cwiseAbs() * size + S.cwiseAbs() * at.signal_series.col(k).cwiseAbs()) /
           static_cast<double>(k + 1);
    clean(x.col(k + 1), size);
    size += x.col(k + 1).cwiseAbs();
  }
  for (Index k = 0; k < posed.size(); ++k)
    if (!posed.decides(k, active)) made.row(k).setZero();
  return made;
}

} // namespace

bool is_silent(Instant& at, const ActiveSet& active, const ModeProblem& posed) {
  if (at.tangent != nullptr) return false;
  const auto noticed = [&](const Vector& change) {
    for (Index k = 0; k < posed.size(); ++k) {
      const Index q = k - posed.closed.size();
      const double speed = q < 0 ? at.rate_size(posed.closed[k]) : at.v_size(posed.elements[q]);
      if (posed.decides(k, active) && change(k) > tolerance::last_digits * speed) return true;
    }
    return false;
  };
  const double T = at.state->time_scale;
  const Vector acts = T * posed.problem.free_size.cwiseMax(posed.problem.free.cwiseAbs());
  if (noticed(acts)) return false;
  const Vector grows = (T * T) * (posed.rows.cwiseAbs() * (at.linear().A.cwiseAbs() * at.xdot.cwiseAbs()));
  if (noticed(grows)) return false;
  const auto idle = [](const contact::Line& l) { return l.a == 0.0; };
  for (const contact::Element& e : posed.problem.elements) {
    if (e.state != Mode::stick && !(idle(e.plus) && idle(e.minus))) return false;
    if (e.contact < 0 && idle(e.low) && idle(e.high)) return false; // its load may begin with the same power
  }
  return (acts.isZero(0.0) && grows.isZero(0.0)) || signal_terms(at, active, posed).col(0).isZero(0.0);
}

void wake(Instant& at, const ActiveSet& active, ModeProblem& posed) {
  Matrix terms_of = signal_terms(at, active, posed);
  const Matrix states = by_states(at, active, posed);
  terms_of += states.cwiseAbs();
  Index first = 0;
  while (first < series_terms && terms_of.col(first).isZero(0.0)) ++first;
  if (first == series_terms) return;
  posed.order = first;
  const double leads = terms_of.col(first).maxCoeff();
  posed.pace = std::max(std::abs(at.t), at.state->time_scale);
  for (Index k = first + 1; k < series_terms; ++k)
    if (const double next = terms_of.col(k).maxCoeff(); next > 0.0)
      posed.pace = std::min(posed.pace, early * std::pow(leads / next, 1.0 / static_cast<double>(k - first)));
  posed.pace = std::max(posed.pace, at.state->time_scale);
  double least = INFINITY; // acceleration that friction of a given level can give
  for (Index k = 0; k < posed.elements.size(); ++k) {
    const contact::Element& e = posed.problem.elements[k];
    const Index row = posed.closed.size() + k;
    const double given = std::max(std::abs(e.low.a), std::abs(e.high.a)) * posed.problem.G(row, row);
    if (given > 0.0) least = std::min(least, given);
  }
  const double share = std::isfinite(least) ? slight_share * least / leads : 1.0;
  posed.problem.free =
      share * (by_signals(at, active, posed) * at.signal_series.col(first) + states.col(first));
  posed.problem.free_size = share * terms_of.col(first);
}

} // namespace stickslip
